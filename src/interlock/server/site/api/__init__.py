"""The JSON behind the page: endpoints under `/api/v1`, with an OpenAPI document made from them."""

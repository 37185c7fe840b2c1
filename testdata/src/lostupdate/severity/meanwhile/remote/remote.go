// Package remote speaks to a server.
package remote

import "net/http"

// A Client asks the server.
type Client interface {
	Post(text string) (string, error)
	Label(text string) (string, error)
}

// Transport is what clients are made with.
var Transport http.RoundTripper = http.DefaultTransport

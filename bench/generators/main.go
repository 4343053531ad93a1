// Asks the service with the client that oapi-codegen has made, and prints what came.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"

	"clients/made"
)

func main() {
	ctx := context.Background()
	url := os.Getenv("TARGET_URL")
	withToken := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		return nil
	}
	client, err := made.NewClientWithResponses(os.Getenv("SERVER"), made.WithRequestEditorFn(withToken))
	must(err)

	answer, err := client.RedirectCheckWithResponse(ctx, &made.RedirectCheckParams{Url: url})
	must(err)
	report, err := answer.JSON200.AsRedirectCheckReport()
	must(err)

	refused, err := client.DnsCheckWithResponse(ctx, "127.0.0.1", &made.DnsCheckParams{})
	must(err)

	targets := map[string]any{"check": "redirect-check", "targets": []string{url}}
	text, err := json.Marshal(targets)
	must(err)
	var body made.CreateBatchJSONRequestBody
	must(json.Unmarshal(text, &body))
	batch, err := client.CreateBatchWithResponse(ctx, &made.CreateBatchParams{}, body)
	must(err)

	must(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"report":  map[string]any{"type": "RedirectCheckReport", "state": report.State, "hops": len(report.Hops)},
		"problem": map[string]any{"status": refused.StatusCode(), "code": refused.ApplicationproblemJSON400.Code},
		"batch":   batch.JSON201.Total,
	}))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

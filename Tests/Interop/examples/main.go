// With Go's standard library: sign up, state, refresh, an error, sign out.
//
//	POSTERN_URL=http://127.0.0.1:7480 POSTERN_APP_KEY=pk_… go run main.go
package main

import "encoding/json"
import "fmt"
import "net/http"
import "os"
import "strings"
import "time"

// Calls a method; format and values make the request, in JSON. To repeat a call after a lost
// answer, send the header idempotency-key, the same each time.
func call(method, accessToken, format string, values ...any) (answer struct {
	Account       struct{ AccountID string }
	Session       struct{ SessionID, AccessToken, RefreshToken string }
	Authenticated bool
	EndedSessions int
	Details       []struct{ Debug struct{ Code string } } // of an error
}) {
	url := os.Getenv("POSTERN_URL") + "/postern.gateway.v1." + method
	post, _ := http.NewRequest("POST", url, strings.NewReader(fmt.Sprintf(format, values...)))
	post.Header.Set("content-type", "application/json")
	post.Header.Set("x-postern-app", os.Getenv("POSTERN_APP_KEY"))
	if accessToken != "" {
		post.Header.Set("authorization", "Bearer "+accessToken)
	}
	if response, err := http.DefaultClient.Do(post); err != nil {
		panic(err)
	} else if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		panic(err)
	}
	return
}

func main() {
	const credentials = `{"email": %q, "password": %q, "device": {"deviceId": "go-1"}}`
	email := fmt.Sprintf("ada-%d@example.org", time.Now().UnixNano())
	signedUp := call("Auth/SignUpWithPassword", "", credentials, email, "Correct7Horse")
	fmt.Println("signed up:", signedUp.Account.AccountID)
	state := call("Auth/CheckAuthState", signedUp.Session.AccessToken, "{}")
	fmt.Println("authenticated:", state.Authenticated)
	refresh := `{"refreshToken": %q, "device": {"deviceId": "go-1"}}`
	session := call("Auth/RefreshSession", "", refresh, signedUp.Session.RefreshToken).Session
	fmt.Println("refreshed:", session.SessionID)
	wrong := call("Auth/SignInWithPassword", "", credentials, email, "Wrong7Horse")
	fmt.Println("error:", wrong.Details[0].Debug.Code)
	fmt.Println("signed out:", call("Auth/SignOut", session.AccessToken, "{}").EndedSessions)
}

// With Kotlin and java.net.http: sign up, state, refresh, an error, sign out.
//
//   kotlinc Main.kt -include-runtime -d example.jar
//   POSTERN_URL=http://127.0.0.1:7480 POSTERN_APP_KEY=pk_… java -jar example.jar
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.util.UUID

val client: HttpClient = HttpClient.newHttpClient()

fun call(method: String, request: String = "{}", accessToken: String? = null): String {
    val url = "${System.getenv("POSTERN_URL")}/postern.gateway.v1.$method"
    val post = HttpRequest.newBuilder(URI(url))
        .header("content-type", "application/json")
        .header("x-postern-app", System.getenv("POSTERN_APP_KEY"))
        .header("idempotency-key", UUID.randomUUID().toString())
        .POST(HttpRequest.BodyPublishers.ofString(request))
    if (accessToken != null) post.header("authorization", "Bearer $accessToken")
    return client.send(post.build(), BodyHandlers.ofString()).body()
}

// In an app: the JSON library that you have.
fun String.member(name: String) =
    Regex("\"$name\":\\s*\"?([^\",}]*)").find(this)?.groupValues?.get(1)

fun main() {
    val device = """{"deviceId": "kotlin-1", "platform": "android"}"""
    val email = "${UUID.randomUUID()}@example.org"
    fun credentials(password: String) =
        """{"email": "$email", "password": "$password", "device": $device}"""
    val signedUp = call("Auth/SignUpWithPassword", credentials("Correct7Horse"))
    println("signed up: ${signedUp.member("accountId")}")
    val state = call("Auth/CheckAuthState", accessToken = signedUp.member("accessToken"))
    println("authenticated: ${state.member("authenticated")}")
    val refreshToken = signedUp.member("refreshToken")
    val session = call(
        "Auth/RefreshSession", """{"refreshToken": "$refreshToken", "device": $device}""")
    println("refreshed: ${session.member("sessionId")}")
    val wrong = call("Auth/SignInWithPassword", credentials("Wrong7Horse"))
    // Connect's code comes first; ours is in the detail.
    println("error: ${wrong.substringAfter("\"debug\"").member("code")}")
    val signedOut = call("Auth/SignOut", accessToken = session.member("accessToken"))
    println("signed out: ${signedOut.member("endedSessions")}")
}

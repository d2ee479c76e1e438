import Testing

extension SystemTests.Stories {
    @Suite("The tool can call every way of signing in")
    struct Tool {
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        @Test(
            "postern call finds each public service by reflection and gets its response",
            arguments: [
                ("Guests/SignInAsGuest", "{}", nil),
                ("Providers/IssueNonce", "{\"provider\": \"google\"}", nil),
                (
                    "Providers/SignInWithProvider", "{\"token\": {\"provider\": \"myspace\"}}",
                    "auth/operation-not-allowed"
                ),
                ("SignInMethods/ListSignInMethods", "{}", "auth/invalid-access-token"),
                ("SignInMethods/UnlinkMethod", "{}", "auth/invalid-access-token"),
                ("SignInMethods/LinkProvider", "{}", "auth/invalid-access-token"),
            ] as [(String, String, String?)])
        func call(method: String, request: String, code: String?) async throws {
            let answer = try await fixture.cluster.call(
                "postern.gateway.v1.\(method)", request,
                metadata: ["client-address": Person(29_001).address])
            #expect(answer.code == code, "\(answer)")
            if code == nil { #expect(answer.exitCode == 0) }
        }
    }
}

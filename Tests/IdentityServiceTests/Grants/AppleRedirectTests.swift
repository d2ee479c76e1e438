import ProviderIssuer
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("Apple's codes of the web", .timeLimit(.minutes(1)))
struct AppleRedirectTests {
    private static let place = "https://app.example/apple/return?from=dialog&a=1"

    /// Signs in with a code that Apple gave for `asked`, where the operator says `entries`.
    private func exchange(asked: String?, entries: [String]) async throws -> [String] {
        let codes = IssuerCodes()
        codes.give(
            "code-canary", of: AppleBench.subject, to: AppleBench.client, redirect: asked)
        let redirects = try #require(AppleRedirects(entries))
        let bench = try await AppleBench(redirects: redirects) { codes.answer($0) }
        try await bench.signIn()
        try await bench.settle()
        #expect(try await bench.count(.grantRefused) == (codes.exchanged.isEmpty ? 1 : 0))
        #expect(try await (bench.grant() == nil) == codes.exchanged.isEmpty)
        await bench.close()
        return codes.exchanged
    }

    @Test("G-05: a code is exchanged with the place that its dialog returned to")
    func sent() async throws {
        let entry = "\(AppleBench.client)=\(Self.place)"
        #expect(try await exchange(asked: Self.place, entries: [entry]) == ["code-canary"])
    }

    @Test("G-05: a dialog of the device has none, whatever another app's has")
    func none() async throws {
        #expect(try await exchange(asked: nil, entries: []) == ["code-canary"])
        let other = "com.example.web=\(Self.place)"
        #expect(try await exchange(asked: nil, entries: [other]) == ["code-canary"])
    }

    @Test("G-05: Apple refuses a code without the place, or with another one")
    func refused() async throws {
        #expect(try await exchange(asked: Self.place, entries: []) == [])
        let wrong = "\(AppleBench.client)=https://app.example/elsewhere"
        #expect(try await exchange(asked: Self.place, entries: [wrong]) == [])
        #expect(try await exchange(asked: nil, entries: [wrong]) == [])
    }

    @Test(
        "an entry is a client id and an https URL, one for each client id",
        arguments: [
            ["app"], ["app="], ["=https://app.example/"], ["app=http://app.example/"],
            ["app=https://app.example/#part"], ["app=https://user@app.example/"],
            ["app=https://app.example/a", "app=https://app.example/b"],
        ])
    func wrong(entries: [String]) {
        #expect(AppleRedirects(entries) == nil)
    }

    @Test("the URL goes out as the operator wrote it, for its client id alone")
    func asWritten() throws {
        let redirects = try #require(AppleRedirects(["app=https://App.Example/?a=b=c"]))
        #expect(redirects.place(of: "app") == "https://App.Example/?a=b=c")
        #expect(redirects.place(of: "App") == nil && redirects.clients == ["app"])
    }
}

import Contracts
import ProviderIssuer
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("Redirect URIs of web codes", .timeLimit(.minutes(1)))
struct GrantRedirectTests {
    private static let place = "https://app.example/apple/return?from=dialog&a=1"

    /// Signs in with a code that Apple issued for the redirect URI `asked`, with the setting
    /// `entries`.
    private func exchange(asked: String?, entries: [String]) async throws -> [String] {
        let codes = IssuerCodes()
        codes.give(
            "code-canary", of: GrantFixture.subject, to: GrantFixture.client, redirect: asked)
        let redirects = try #require(GrantRedirects(entries))
        let fixture = try await GrantFixture(redirects: redirects) { codes.answer($0) }
        try await fixture.signIn()
        try await fixture.settle()
        #expect(try await fixture.count(.grantRefused) == (codes.exchanged.isEmpty ? 1 : 0))
        #expect(try await (fixture.grant() == nil) == codes.exchanged.isEmpty)
        await fixture.close()
        return codes.exchanged
    }

    @Test("G-05: a web code is exchanged with the redirect URI of its dialog")
    func sent() async throws {
        let entry = "\(GrantFixture.client)=\(Self.place)"
        #expect(try await exchange(asked: Self.place, entries: [entry]) == ["code-canary"])
    }

    @Test("G-05: a code from a device is exchanged without a redirect URI")
    func none() async throws {
        #expect(try await exchange(asked: nil, entries: []) == ["code-canary"])
        let other = "com.example.web=\(Self.place)"
        #expect(try await exchange(asked: nil, entries: [other]) == ["code-canary"])
    }

    @Test("G-05: Apple refuses a code with a missing or wrong redirect URI")
    func refused() async throws {
        #expect(try await exchange(asked: Self.place, entries: []) == [])
        let wrong = "\(GrantFixture.client)=https://app.example/elsewhere"
        #expect(try await exchange(asked: Self.place, entries: [wrong]) == [])
        #expect(try await exchange(asked: nil, entries: [wrong]) == [])
    }

    @Test(
        "an entry is a client id and an https URL, with one URL for each client id",
        arguments: [
            ["app"], ["app="], ["=https://app.example/"], ["app=http://app.example/"],
            ["app=https://app.example/#part"], ["app=https://user@app.example/"],
            ["app=https://app.example/a", "app=https://app.example/b"],
        ])
    func wrong(entries: [String]) {
        #expect(GrantRedirects(entries) == nil)
        #expect(GrantRedirects(entries, word: GrantRedirects.googlePopup) == nil)
    }

    @Test("G-04: Google's popup has a word in place of a URL, and no other provider's")
    func popup() throws {
        let redirects = try #require(
            GrantRedirects(["app=postmessage"], word: GrantRedirects.googlePopup))
        #expect(redirects.place(of: "app") == "postmessage")
        #expect(GrantRedirects(["app=postmessage"]) == nil)
    }

    @Test("the URL is sent as the operator wrote it, only for its client id")
    func asWritten() throws {
        let redirects = try #require(GrantRedirects(["app=https://App.Example/?a=b=c"]))
        #expect(redirects.place(of: "app") == "https://App.Example/?a=b=c")
        #expect(redirects.place(of: "App") == nil && redirects.clients == ["app"])
    }
}

import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite("The page behind \"this was not me\", by plain HTTP")
    struct NotMePage {
        private static let new = "Owners9Password"

        @Test("N-01: a scanner changes nothing, the button ends all, and a reset lets in again")
        func shutOut() async throws {
            try await Cluster.with { cluster in
                let ada = Person(1)
                let own: SignedIn = try await cluster.signUp(ada).read()
                let verified = try await cluster.auth(
                    "VerifyEmail", ["token": try await cluster.mailedToken(to: ada.email)],
                    in: own.session)
                #expect(verified.exitCode == 0, "\(verified.errors)")
                let thief: SignedIn = try await cluster.auth(
                    "SignInWithPassword",
                    [
                        "email": ada.email, "password": Person.password,
                        "device": ["deviceId": "thief", "platform": "cli"],
                    ], from: "198.18.200.7"
                ).read()
                let browser = try PageBrowser()
                let link = try await browser.link("not-me", to: ada.email, cluster)
                // A scanner opens it first.
                #expect(try await browser.curl(["--head", link]).status == 303)
                for _ in 0..<3 { #expect(try await browser.open(link).status == 200) }
                #expect(try await cluster.state(thief.session).authenticated == true)
                let form = try await browser.open(link)
                #expect(!form.body.contains("<script") && !form.body.contains("type=\"password\""))
                let done = try await browser.submit("not-me", form, [:])
                #expect(done.status == 200, "\(done.body)")
                #expect(!done.body.contains("token="), "the link of a reset is in the mail only")
                let isOut = try await eventually(within: .seconds(2)) {
                    try await cluster.state(thief.session).authenticated == nil
                }
                #expect(isOut)
                #expect(try await cluster.signIn(ada).code == "auth/invalid-credential")
                let again = try await browser.open(link)
                #expect(again.status == 400, "a link works once")
                #expect(again.body.contains("href=\"/forgot-password?lang="))

                let reset = try await browser.link("reset-password", to: ada.email, cluster)
                let set = try await browser.submit(
                    "reset-password", try await browser.open(reset), "password", Self.new)
                #expect(set.status == 200, "\(set.body)")
                let back: SignedIn = try await cluster.signIn(ada, Self.new).read()
                #expect(back.account.accountId == own.account.accountId)
            }
        }
    }
}

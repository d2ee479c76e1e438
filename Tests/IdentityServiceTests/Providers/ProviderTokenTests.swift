import Addresses
import Contracts
import Cryptography
import JSON
import Messages
import ProviderIssuer
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("Provider tokens: what they prove", .timeLimit(.minutes(1)))
struct ProviderTokenTests {
    @Test("G-04: Google's token gives issuer, subject, verified email, name and picture")
    func google() async throws {
        try await ProviderFixture.with { fixture in
            let nonce = try fixture.nonce()
            #expect(nonce.providerNonce == nonce.nonce)
            let claims = IssuedClaims.google(
                of: "117", email: "Ada@Example.org", nonce: nonce.providerNonce)
            let identity = try await fixture.identity(
                try fixture.google.token(claims), nonce: nonce.nonce, name: "Not Ada")
            #expect(identity.method == .provider("google"))
            #expect(identity.issuer == fixture.google.issuer)
            #expect(identity.subject == "117")
            #expect(identity.email?.address == EmailAddress("Ada@Example.org"))
            #expect(identity.email?.isVerified == true)
            #expect(identity.email?.isRelay == false)
            #expect(identity.displayName == "Ada Lovelace", "from the token, not the request")
            #expect(identity.photoURL == "https://lh3.example/117.jpg")
            #expect(identity.method.authentication.amr == ["fed"])
            #expect(identity.audience == ProviderIssuer.audience)
            #expect(identity.nonce?.expiresAt == fixture.time.now() + .seconds(660))
            #expect(identity.code == nil)
        }
    }

    @Test(
        "F-04: a token counts as both proofs by the operator's words for that provider alone",
        arguments: [
            ([("acr", .string("two"))], true), ([("acr", .string("one"))], false),
            ([("amr", .array([.string("pwd"), .string("mfa")]))], true),
            ([("amr", .array([.string("pwd")]))], false), ([("amr", .string("mfa"))], false),
            ([("acr", .array([.string("two")]))], false), ([("acr", .string("mfa"))], false),
            ([], false),
        ] as [([(String, JSONValue)], Bool)])
    func bothProofs(claims: [(String, JSONValue)], counts: Bool) async throws {
        func naming(_ provider: Provider) -> Provider {
            guard provider.name == "google" else { return provider }
            return Provider(
                name: provider.name, issuers: provider.issuers, audiences: provider.audiences,
                jwksLocation: provider.jwksLocation, emailTrust: provider.emailTrust,
                bothProofs: Provider.BothProofs(classes: ["two"], methods: ["mfa"]))
        }
        try await ProviderFixture.with(naming) { fixture in
            let nonce = try fixture.nonce().nonce
            let token = IssuedClaims.google(of: "117", nonce: nonce).with(claims)
            let identity = try await fixture.identity(
                try fixture.google.token(token), nonce: nonce)
            #expect(identity.hasBothProofs == counts)
            #expect(identity.authenticationOfOwn.amr == (counts ? ["fed", "mfa"] : ["fed"]))
            let apples = try fixture.nonce(for: "apple")
            let other = try await fixture.identity(
                try fixture.apple.token(
                    .apple(of: "1", nonce: apples.providerNonce).with(claims)),
                nonce: apples.nonce, by: "apple")
            #expect(!other.hasBothProofs)
        }
    }

    @Test("G-05: Apple's token has the hash of the nonce and boolean claims as text, and no name")
    func apple() async throws {
        try await ProviderFixture.with { fixture in
            let nonce = try fixture.nonce(for: "apple")
            #expect(nonce.providerNonce == Hex.encode(SHA256.hash(nonce.nonce.utf8)))
            let claims = IssuedClaims.apple(
                of: "001.a.2", email: "x1@privaterelay.appleid.com", isPrivate: true,
                nonce: nonce.providerNonce
            ).with([("name", .string("Mallory"))])
            let identity = try await fixture.identity(
                try fixture.apple.token(claims), nonce: nonce.nonce, by: "apple", name: "Ada")
            #expect(identity.method == .provider("apple"))
            #expect(identity.subject == "001.a.2")
            #expect(identity.email?.isVerified == true)
            #expect(identity.email?.isRelay == true)
            #expect(identity.displayName == "Ada", "from the request, never from the token")
        }
    }

    @Test(
        "G-05: Apple's web dialog sends the nonce unhashed; both forms of an issuer are equal"
    )
    func spellings() async throws {
        try await ProviderFixture.with { fixture in
            let nonce = try fixture.nonce(for: "apple").nonce
            let plain = try fixture.apple.token(.apple(of: "1", nonce: nonce))
            let first = try await fixture.identity(plain, nonce: nonce, by: "apple")
            let short = String(fixture.apple.issuer.dropFirst("http://".count))
            let other = try fixture.apple.token(
                .apple(of: "1", nonce: nonce).with([("iss", .string(short))]))
            let second = try await fixture.identity(other, nonce: nonce, by: "apple")
            #expect(first.issuer == second.issuer)
            #expect(first.nonce == second.nonce, "one nonce in either form counts as one use")
        }
    }
}

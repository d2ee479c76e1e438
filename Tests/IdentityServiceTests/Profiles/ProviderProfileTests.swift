import Addresses
import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-17: a provider's name and picture", .timeLimit(.minutes(1)))
struct ProviderProfileTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    private func signIn(
        _ name: String, _ photo: String, subject: String = "g1", email: String? = nil
    ) async throws -> GatewayV1.Account {
        var proved = ProvedIdentity(
            method: .provider("google"), issuer: "https://google.example", subject: subject)
        if let email {
            proved.email = ProvedIdentity.Email(
                address: try #require(EmailAddress(email)), isVerified: true, isRelay: false)
        }
        proved.displayName = name
        proved.photoURL = photo.isEmpty ? "" : "https://p.example/\(photo)"
        return try #require(try await fixture.signIn(proved).account)
    }

    @Test("they follow the provider, and stay when it sends none")
    func refresh() async throws {
        let first = try await signIn("Ada", "1")
        let second = try await signIn("Ada Lovelace", "2")
        #expect(second.accountId == first.accountId && second.displayName == "Ada Lovelace")
        #expect(second.photoUrl == "https://p.example/2")
        let third = try await signIn("", "")
        #expect(third.displayName == "Ada Lovelace" && third.photoUrl == "https://p.example/2")
    }

    @Test("an edited name remains; the picture is still the provider's")
    func name() async throws {
        let account = try await signIn("Ada", "1")
        let token = fixture.devices.open(account.accountId)
        _ = try await fixture.profiles.updateProfile(
            .init(name: .displayName("Countess")), fixture.relayed(token))
        let next = try await signIn("Ada Lovelace", "2")
        #expect(next.displayName == "Countess" && next.photoUrl == "https://p.example/2")
    }

    @Test("a removed picture does not return, nor does one that a photo has replaced")
    func photo() async throws {
        let account = try await signIn("Ada", "1")
        let token = fixture.devices.open(account.accountId)
        let removed = try await fixture.profiles.removePhoto(
            .init(), fixture.relayed(token))
        #expect(removed.account?.photoUrl == "")
        let next = try await signIn("Ada L.", "2")
        #expect(next.photoUrl == "" && next.displayName == "Ada L.")
        _ = try await fixture.upload(PhotoSamples.png(), token)
        let last = try await signIn("Ada L.", "3")
        #expect(last.photoUrl.contains("/v1/photos/"))
        #expect(try await fixture.count("profiles", where: "photo_url IS NOT NULL") == 0)
    }

    @Test("a name typed at a sign-up, or imported, remains; an empty one does not")
    func typed() async throws {
        let account = try #require(try await fixture.register().account)
        let token = fixture.devices.open(account.accountId)
        _ = try await fixture.link(.token("g1", name: "Provider"), in: token)
        #expect(try await fixture.account(by: .token("g1", name: "Other")).displayName == "Ada")
        try await fixture.change("UPDATE profiles SET name_edited_at_ms = NULL")
        #expect(try await fixture.account(by: .token("g1", name: "Other")).displayName == "Other")
    }

    @Test("the sign-in that links to an account with a password answers with both")
    func linked() async throws {
        let owner = try await fixture.registerProved()
        try await fixture.change("UPDATE profiles SET name_edited_at_ms = NULL")
        let account = try await signIn("Ada Lovelace", "1", email: "ada@example.org")
        #expect(account.accountId == owner.accountId && account.methods == ["password", "google"])
        #expect(account.displayName == "Ada Lovelace")
        #expect(account.photoUrl == "https://p.example/1")
    }

    @Test("the sign-in that links keeps a typed name, and brings the picture")
    func linkedTyped() async throws {
        _ = try await fixture.registerProved()
        let account = try await signIn("Ada Lovelace", "1", email: "ada@example.org")
        #expect(account.displayName == "Ada" && account.photoUrl == "https://p.example/1")
    }

    @Test("X-04: a takeover replaces the name that a stranger typed, also at a later sign-in")
    func takenOver() async throws {
        let stranger = try #require(try await fixture.register().account)
        let nameless = try await signIn("", "", email: "ada@example.org")
        #expect(nameless.accountId == stranger.accountId && nameless.displayName == "Ada")
        let later = try await signIn("Ada Lovelace", "1")
        #expect(later.displayName == "Ada Lovelace" && later.photoUrl == "https://p.example/1")

        _ = try await fixture.register("eve@example.org")
        let named = try await signIn("Eve", "2", subject: "g2", email: "eve@example.org")
        #expect(named.methods == ["google"] && named.displayName == "Eve")
    }
}

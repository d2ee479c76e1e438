import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-17: a provider's name and picture", .timeLimit(.minutes(1)))
struct ProviderProfileTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    private func signIn(_ name: String, _ photo: String) async throws -> IdentityV1.Account {
        var proved = ProvedIdentity(
            method: "google", issuer: "https://google.example", subject: "g1", amr: ["fed"])
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
            .init(accessToken: token, name: .displayName("Countess")), fixture.context())
        let next = try await signIn("Ada Lovelace", "2")
        #expect(next.displayName == "Countess" && next.photoUrl == "https://p.example/2")
    }

    @Test("a removed picture does not return, nor does one that a photo has replaced")
    func photo() async throws {
        let account = try await signIn("Ada", "1")
        let token = fixture.devices.open(account.accountId)
        let removed = try await fixture.profiles.removePhoto(
            .init(accessToken: token), fixture.context())
        #expect(removed.account?.photoUrl == "")
        let next = try await signIn("Ada L.", "2")
        #expect(next.photoUrl == "" && next.displayName == "Ada L.")
        _ = try await fixture.upload(PhotoSamples.png(), token)
        let last = try await signIn("Ada L.", "3")
        #expect(last.photoUrl == "" && !last.photoName.isEmpty)
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
}

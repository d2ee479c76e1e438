import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-17: the display name", .timeLimit(.minutes(1)))
struct UpdateProfileTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    private func update(
        _ name: String?, _ token: String, key: String? = nil
    ) async throws -> GatewayV1.Account? {
        try await fixture.profiles.updateProfile(
            .init(name: name.map { .displayName($0) }), fixture.relayed(token, key)
        ).account
    }

    @Test("it is set, kept and removed, and read back with the account")
    func update() async throws {
        let ada = try await fixture.member()
        #expect(try await update("Countess", ada.token)?.displayName == "Countess")
        #expect(try await update(nil, ada.token)?.displayName == "Countess")
        #expect(try await fixture.audited("profile.updated") == 1)
        let profile = try await fixture.profiles.getProfile(
            .init(), fixture.relayed(ada.token))
        #expect(profile.account?.displayName == "Countess" && profile.photo == nil)
        #expect(try await update("", ada.token)?.displayName == "")
    }

    @Test("it is stored in Normalization Form C, sealed, with at most 128 characters")
    func form() async throws {
        let ada = try await fixture.member()
        let name = try await update("Zoe\u{308}", ada.token)?.displayName
        #expect(name.map { Array($0.unicodeScalars.map(\.value)) } == [0x5a, 0x6f, 0xeb])
        let longest = String(repeating: "e\u{301}", count: 128)
        #expect(try await update(longest, ada.token)?.displayName.unicodeScalars.count == 128)
        for name in [
            String(repeating: "a", count: 129), "a\nb", "\0", "\u{2028}", "\u{85}", " ",
            "\u{202E}a",
        ] {
            let error = try await refusal { try await update(name, ada.token) }
            #expect(error.code == .invalidArgument && error.fields == ["display_name"])
        }
    }

    @Test("a repeat changes nothing, and the same key for another name is refused")
    func repeats() async throws {
        let ada = try await fixture.member()
        for _ in 0..<2 { #expect(try await update("A", ada.token, key: "k")?.displayName == "A") }
        #expect(try await fixture.audited("profile.updated") == 1)
        let error = try await refusal { try await update("B", ada.token, key: "k") }
        #expect(error.code == .idempotencyKeyReused)
    }

    @Test("only the owner of a live session of a usable account may")
    func callers() async throws {
        let ada = try await fixture.member()
        #expect(try await refusal { try await update("A", "x") }.code == .invalidAccessToken)
        try await fixture.change("UPDATE accounts SET status = 2")
        #expect(try await refusal { try await update("A", ada.token) }.code == .accountDisabled)
        fixture.devices.end(ada.token)
        #expect(try await refusal { try await update("A", ada.token) }.code == .sessionEnded)
    }
}

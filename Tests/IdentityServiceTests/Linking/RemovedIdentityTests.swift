import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-14: an unlinked identity is not linked again by its email", .timeLimit(.minutes(1)))
struct RemovedIdentityTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    /// An identity with the account's own email, so that a sign-in links it.
    private let google = GatewayV1.ProviderToken.token("g1", email: "ada@example.org")

    private func signedIn() async throws -> String {
        fixture.devices.open(try await fixture.registerProved().accountId)
    }

    private func code(
        _ token: GatewayV1.ProviderToken, guest: String? = nil
    ) async throws -> ErrorCode {
        try await refusal { try await fixture.signIn(by: token, guest: guest) }.code
    }

    @Test("X-04: a sign-in with an unlinked identity is refused although its email matches")
    func stolen() async throws {
        let session = try await signedIn()
        #expect(try await fixture.signIn(by: google).isLinked)
        _ = try await fixture.unlink("google", in: session)
        #expect(try await code(google) == .emailAlreadyInUse)
        #expect(try await code(google, guest: fixture.guest().token) == .emailAlreadyInUse)
        #expect(try await fixture.count("identities") == 0)
        let outcome = "auth/email-already-in-use"
        #expect(try await fixture.audited("sign-in.failed", outcome: outcome) == 2)
    }

    @Test("X-04: the account's other identities are still linked by email")
    func others() async throws {
        let session = try await signedIn()
        _ = try await fixture.signIn(by: google)
        _ = try await fixture.unlink("google", in: session)
        let apple = GatewayV1.ProviderToken.token("a1", email: "ada@example.org", by: "apple")
        #expect(try await fixture.signIn(by: apple).isLinked)
        #expect(try await fixture.signIn(by: .token("g2", email: "ada@example.org")).isLinked)
    }

    @Test("G-14: an explicit link by the owner makes the identity usable again")
    func back() async throws {
        let session = try await signedIn()
        _ = try await fixture.signIn(by: google)
        _ = try await fixture.unlink("google", in: session)
        let account = try await fixture.link(google, in: session)
        #expect(try await fixture.signIn(by: google).account?.accountId == account.accountId)
        #expect(try await fixture.count("removed_identities") == 0)
    }

    @Test("X-04: a stranger's unlinked identities do not block the real owner's takeover")
    func takenOver() async throws {
        let stranger = try #require(try await fixture.register().account).accountId
        let session = fixture.devices.open(stranger)
        let own = GatewayV1.ProviderToken.token("s1", by: "apple")
        _ = try await fixture.link(own, in: session)
        _ = try await fixture.unlink("apple", in: session)
        #expect(try await fixture.count("removed_identities") == 1)
        #expect(try await fixture.signIn(by: google).removedMethods == ["password"])
        #expect(try await fixture.count("removed_identities") == 0)
    }

    @Test("G-14: an account remembers a limited number of removals, and forgets the oldest")
    func bounded() async throws {
        let session = try await signedIn()
        for number in 0...IdentityTables.removalsMax {
            let token = GatewayV1.ProviderToken.token("g\(number)", email: "ada@example.org")
            _ = try await fixture.link(token, in: session)
            _ = try await fixture.unlink("google", in: session)
        }
        let kept = Int64(IdentityTables.removalsMax)
        #expect(try await fixture.count("removed_identities") == kept)
        #expect(try await code(.token("g1", email: "ada@example.org")) == .emailAlreadyInUse)
        #expect(try await fixture.signIn(by: .token("g0", email: "ada@example.org")).isLinked)
    }
}

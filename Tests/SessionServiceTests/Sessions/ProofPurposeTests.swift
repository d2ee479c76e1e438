import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

/// Attack: somebody with a password has it verified as a re-authentication, which asks for no second
/// proof, and opens a session with that proof.
@Suite("F-03: identity's proof does for what it was made for")
struct ProofPurposeTests {
    let fixture: SessionFixture

    init() async throws { fixture = try await SessionFixture() }

    private func proof(
        _ purpose: IdentityV1.SignInProofPurpose
    ) throws -> IdentityV1.SignInProof {
        fixture.proof(try fixture.account(), purpose: purpose)
    }

    @Test("F-03: a sign-in opens a session, and is no re-authentication")
    func signIn() async throws {
        let tokens = try await fixture.create(try proof(.signIn))
        let other = try proof(.signIn)
        await expectRefused(.invalidSignInProof) {
            try await fixture.reauthenticate(tokens.accessToken, other)
        }
        #expect(try await fixture.audited(.sessionReauthenticated) == 0)
    }

    @Test("F-03: a re-authentication is recorded in a session, and opens none")
    func reauthentication() async throws {
        let tokens = try await fixture.open()
        _ = try await fixture.reauthenticate(
            tokens.accessToken, try proof(.reauthentication))
        let other = try proof(.reauthentication)
        await expectRefused(.invalidSignInProof) { try await fixture.create(other) }
        #expect(try await fixture.audited(.sessionReauthenticated) == 1)
        #expect(try await fixture.audited(.sessionStarted) == 1)
        #expect(try await fixture.audited(.signInFailed) == 1)
    }

    @Test("a proof of an earlier build does for both")
    func earlier() async throws {
        let tokens = try await fixture.create(try proof(.unspecified))
        _ = try await fixture.reauthenticate(tokens.accessToken, try proof(.unspecified))
    }

    @Test(
        "F-03: the purpose is under the MAC, and one of a later build does for nothing",
        arguments: [.unspecified, .signIn, .unrecognized(7)]
            as [IdentityV1.SignInProofPurpose])
    func changed(to purpose: IdentityV1.SignInProofPurpose) async throws {
        var proof = try proof(.reauthentication)
        proof.purpose = purpose
        let changed = proof
        await expectRefused(.invalidSignInProof) { try await fixture.create(changed) }
        let later = try self.proof(.unrecognized(7))
        await expectRefused(.invalidSignInProof) { try await fixture.create(later) }
    }
}

import Contracts
import Cryptography
package import Messages
import RPC
import ServiceRuntime
import TestSupport

// Passkeys of its owner.

extension CallStage {
    /// The domain of passkeys, and the page where they are used.
    static let passkeyDomain = "localhost"
    static let passkeyOrigin = "http://localhost:7480"
}

/// A passkey with its id at Postern.
private struct OwnPasskey: Sendable {
    let id: String
    let passkey: TestPasskey
}

extension LiveCaller {
    private nonisolated func ceremony(_ challenge: String?) -> TestCeremony {
        var ceremony = TestCeremony(challenge: challenge ?? "")
        ceremony.origin = CallStage.passkeyOrigin
        ceremony.relyingParty = CallStage.passkeyDomain
        return ceremony
    }

    /// Makes a passkey in the owner's session.
    private nonisolated func made(
        _ passkey: TestPasskey
    ) async throws -> GatewayV1.PasskeyRegistration {
        let context = setUp().bearing(try await ownersToken)
        let options = try await clients.passkeys.beginPasskeyAdd(.init(), context).options
        return GatewayV1.PasskeyRegistration(
            ceremony(options?.challenge).registration(of: passkey), transports: Bound.transports)
    }

    package nonisolated func newPasskey() async throws -> GatewayV1.PasskeyRegistration {
        try await made(TestPasskey(randomness: SecureRandomness()))
    }

    private nonisolated func ownPasskey() async throws -> OwnPasskey {
        try await once("passkey") {
            let passkey = try TestPasskey(randomness: SecureRandomness())
            let answer = try await self.clients.passkeys.addPasskey(
                .init(credential: try await self.made(passkey), device: self.own),
                self.setUp().bearing(try await self.ownersToken))
            return OwnPasskey(id: answer.passkey?.passkeyId ?? "", passkey: passkey)
        }
    }

    package nonisolated func passkey() async throws -> String { try await ownPasskey().id }

    package nonisolated func passkeySignature() async throws -> GatewayV1.PasskeyAssertion {
        let own = try await ownPasskey()
        let options = try await clients.passkeys.beginPasskeySignIn(.init(), setUp()).options
        return GatewayV1.PasskeyAssertion(
            try ceremony(options?.challenge).assertion(by: own.passkey))
    }
}

import Contracts
import Cryptography
import Messages
import PublicCalls
import RPC
import ServiceRuntime
import TestSupport

/// A passkey with its id.
private struct PreparedPasskey: Sendable {
    let id: String
    let passkey: TestPasskey
}

// Passkeys of a person.

extension PreparedPerson {
    private var passkeys: PasskeysClient { PasskeysClient(gateway.front) }

    private func made(_ passkey: TestPasskey) async throws -> GatewayV1.PasskeyRegistration {
        let begun = try await passkeys.beginPasskeyAdd(.init(), inside)
        return GatewayV1.PasskeyRegistration(
            TestCeremony(challenge: begun.options?.challenge ?? "").registration(of: passkey))
    }

    func newPasskey() async throws -> GatewayV1.PasskeyRegistration {
        // A repeat has the bytes of the first call: what is made again is another passkey.
        try await once("new passkey") {
            try await made(TestPasskey(randomness: SecureRandomness()))
        }
    }

    private func prepared() async throws -> PreparedPasskey {
        try await once("passkey") {
            let passkey = try TestPasskey(randomness: SecureRandomness())
            let added = try await passkeys.addPasskey(
                .init(credential: try await made(passkey), device: own), inside)
            return PreparedPasskey(id: try thing(added.passkey?.passkeyId), passkey: passkey)
        }
    }

    func passkey() async throws -> String { try await prepared().id }

    func passkeySignature() async throws -> GatewayV1.PasskeyAssertion {
        let passkey = try await prepared().passkey
        return try await once("passkey signature") {
            let begun = try await passkeys.beginPasskeySignIn(.init(), outside)
            return GatewayV1.PasskeyAssertion(
                try TestCeremony(challenge: begun.options?.challenge ?? "").assertion(by: passkey))
        }
    }
}

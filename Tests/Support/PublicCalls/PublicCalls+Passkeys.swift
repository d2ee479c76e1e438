import Contracts
import Messages
import RPC

extension PublicCalls {
    /// The longest name of a passkey, in bytes.
    private static let nameBytes = 64

    static let passkeys: [PublicCall] = [
        .init(
            PasskeysDescription.beginPasskeySignIn, .stranger,
            GatewayV1.BeginPasskeySignInRequest()),
        .init(PasskeysDescription.signInWithPasskey, .stranger, once: true) { caller, _ in
            GatewayV1.SignInWithPasskeyRequest(
                credential: try await caller.passkeySignature(), device: caller.own)
        },
        .init(
            PasskeysDescription.beginPasskeyAdd, .owner,
            GatewayV1.BeginPasskeyAddRequest(automatic: true)),
        .init(PasskeysDescription.addPasskey, .owner, once: true) { caller, _ in
            GatewayV1.AddPasskeyRequest(
                credential: try await caller.newPasskey(), name: Bound.text(nameBytes),
                device: caller.own)
        },
        .init(PasskeysDescription.listPasskeys, .owner) { caller, _ in
            _ = try await caller.passkey()
            return GatewayV1.ListPasskeysRequest()
        },
        .init(PasskeysDescription.renamePasskey, .owner) { caller, _ in
            GatewayV1.RenamePasskeyRequest(
                passkeyId: try await caller.passkey(), name: Bound.text(nameBytes))
        },
        .init(PasskeysDescription.removePasskey, .owner, once: true) { caller, _ in
            GatewayV1.RemovePasskeyRequest(
                passkeyId: try await caller.passkey(), device: caller.own)
        },
        .init(PasskeysDescription.beginPasskeyProof, .stranger, "challenge") { caller, _ in
            // Before the challenge, which names the account's kinds of proof.
            _ = try await caller.passkey()
            return GatewayV1.BeginPasskeyProofRequest(
                challenge: try await caller.factorChallenge(), device: caller.own)
        },
        .init(PasskeysDescription.beginPasskeyProof, .owner, "session") { caller, _ in
            _ = try await caller.passkey()
            return GatewayV1.BeginPasskeyProofRequest(device: caller.own)
        },
        .init(AdminDescription.removeAccountPasskeys, .support, once: true) { caller, _ in
            _ = try await caller.passkey()
            return GatewayV1.RemoveAccountPasskeysRequest(
                accountId: try await caller.account(.owner).accountID, actor: Bound.actor)
        },
    ]
}

import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// Passkeys, as the gateway has them. The credential `000000` is refused, and no account has the
/// credential `unknown`.
extension PagesGateway {
    static let bitwarden = GatewayV1.Passkey(
        passkeyId: "pky_1", credentialId: "credential-1", name: "<Bitwarden>",
        addedAtMs: due.milliseconds, lastUsedAtMs: due.milliseconds + 86_400_000)
    static let former = GatewayV1.Passkey(
        passkeyId: "pky_2", credentialId: "credential-2", addedAtMs: due.milliseconds,
        lastUsedAtMs: due.milliseconds, isUnusable: true)

    /// Passkeys work at an origin.
    func takePasskeys(at origin: String) {
        account.withLock {
            $0.passkeyOptions = GatewayV1.PasskeyOptions(
                rpId: "localhost", origins: [origin])
        }
    }

    private static var options: GatewayV1.PasskeyRequestOptions {
        GatewayV1.PasskeyRequestOptions(
            challenge: "challenge<\"1\">", timeout: 300_000, rpId: "localhost",
            userVerification: "required")
    }

    private static var end: Int64 { (SystemTime().now() + .seconds(600)).milliseconds }

    var passkeys: ServiceMethods {
        ServiceMethods(PasskeysDescription.service, signIns + changes)
    }

    private var signIns: [MethodHandler] {
        [
            .async(PasskeysDescription.beginPasskeySignIn) {
                (_: GatewayV1.BeginPasskeySignInRequest, _)
                    -> GatewayV1.BeginPasskeySignInResponse in
                GatewayV1.BeginPasskeySignInResponse(options: Self.options, expiresAtMs: Self.end)
            },
            .async(PasskeysDescription.signInWithPasskey) {
                (request: GatewayV1.SignInWithPasskeyRequest, context)
                    -> GatewayV1.SignInWithPasskeyResponse in
                let credential = request.credential ?? .init()
                try self.receive(
                    "SignInWithPasskey", credential.response?.clientDataJson ?? "",
                    SecretBytes(credential.id), context, on: request.device)
                switch credential.id {
                case "000000": throw ServiceError(.invalidPasskey)
                case "unknown": throw ServiceError(.unknownPasskey)
                default: break
                }
                return GatewayV1.SignInWithPasskeyResponse(
                    account: GatewayV1.Account(email: Self.email), session: Self.session)
            },
            .async(PasskeysDescription.beginPasskeyProof) {
                (request: GatewayV1.BeginPasskeyProofRequest, context)
                    -> GatewayV1.BeginPasskeyProofResponse in
                try self.receive(
                    "BeginPasskeyProof", Self.bearer(context), SecretBytes(request.challenge),
                    context, on: request.device)
                return GatewayV1.BeginPasskeyProofResponse(
                    options: Self.options, expiresAtMs: Self.end)
            },
        ]
    }

    private var changes: [MethodHandler] {
        [
            .async(PasskeysDescription.listPasskeys) {
                (_: GatewayV1.ListPasskeysRequest, context) -> GatewayV1.ListPasskeysResponse in
                try self.require("ListPasskeys", "", context, isChange: false)
                return GatewayV1.ListPasskeysResponse(
                    passkeys: self.account.withLock { $0.passkeys }, userHandle: "handle-1",
                    rpId: "localhost")
            },
            .async(PasskeysDescription.beginPasskeyAdd) {
                (_: GatewayV1.BeginPasskeyAddRequest, context)
                    -> GatewayV1.BeginPasskeyAddResponse in
                try self.require("BeginPasskeyAdd", "", context)
                return GatewayV1.BeginPasskeyAddResponse(
                    options: GatewayV1.PasskeyCreationOptions(
                        challenge: "challenge-2",
                        pubKeyCredParams: [.init(type: "public-key", alg: -7)]),
                    expiresAtMs: Self.end)
            },
            .async(PasskeysDescription.addPasskey) {
                (request: GatewayV1.AddPasskeyRequest, context) -> GatewayV1.AddPasskeyResponse in
                let id = request.credential?.id ?? ""
                try self.require("AddPasskey", "\(id) \(request.name)", context)
                guard id != "000000" else { throw ServiceError(.invalidPasskey) }
                self.account.withLock { $0.passkeys.append(Self.bitwarden) }
                return GatewayV1.AddPasskeyResponse(passkey: Self.bitwarden)
            },
            .async(PasskeysDescription.renamePasskey) {
                (request: GatewayV1.RenamePasskeyRequest, context)
                    -> GatewayV1.RenamePasskeyResponse in
                try self.require(
                    "RenamePasskey", "\(request.passkeyId) \(request.name)", context)
                return GatewayV1.RenamePasskeyResponse()
            },
            .async(PasskeysDescription.removePasskey) {
                (request: GatewayV1.RemovePasskeyRequest, context)
                    -> GatewayV1.RemovePasskeyResponse in
                try self.require("RemovePasskey", request.passkeyId, context)
                self.account.withLock { account in
                    account.passkeys.removeAll { $0.passkeyId == request.passkeyId }
                }
                return GatewayV1.RemovePasskeyResponse()
            },
        ]
    }
}

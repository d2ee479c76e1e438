import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

/// An account with a verified address and a password, whose owner has an authenticator, at a
/// service with passkeys of `example.org`.
struct PasskeyPerson: Sendable {
    let identity: IdentityFixture
    /// "acc_…"
    let account: String
    /// The access token of a session that was proved by the password.
    let token: String
    let passkey: TestPasskey

    init(
        secondFactor: SecondFactorSettings.Mode = .optional, domain: String? = "example.org",
        backend: (any StoreBackend) -> any StoreBackend = { $0 }
    ) async throws {
        let id = try Self.id(domain)
        let origins = try Self.origins(of: id)
        identity = try IdentityFixture(
            backend: backend,
            adjusting: {
                $0.secondFactors.mode = secondFactor
                if let id { $0.passkeys = PasskeySettings(id: id, origins: origins) }
            })
        account = try await identity.registerProved().accountId
        token = identity.devices.open(account)
        passkey = try .repeatable(randomness: identity.randomness)
    }

    /// The person of another one's store, or of a copy of it.
    init(_ other: PasskeyPerson, in folder: TemporaryFolder) throws {
        let id = try Self.id("example.org")
        let origins = try Self.origins(of: id)
        identity = try IdentityFixture(
            folder: folder, time: other.identity.time, seed: 2,
            adjusting: {
                if let id { $0.passkeys = PasskeySettings(id: id, origins: origins) }
            })
        account = other.account
        token = identity.devices.open(account)
        passkey = other.passkey
    }

    private static func id(_ domain: String?) throws -> PasskeyRPID? {
        try domain.map { try #require(PasskeyRPID($0)) }
    }

    private static func origins(of id: PasskeyRPID?) throws -> [PasskeyOrigin] {
        guard let id else { return [] }
        return [try #require(PasskeyOrigin("https://\(id.text)", of: id))]
    }

    private var handler: PasskeysHandler { identity.service.core.passkeys }

    // MARK: adding

    /// The options to add a passkey.
    func beginAdd(
        automatic: Bool = false, in session: String? = nil
    ) async throws -> GatewayV1.PasskeyCreationOptions {
        let request = GatewayV1.BeginPasskeyAddRequest(automatic: automatic)
        let context = identity.relayed(session ?? token)
        let answer = try await handler.beginPasskeyAdd(
            request, handler.call(PasskeysDescription.beginPasskeyAdd, request, context))
        return try #require(answer.options)
    }

    /// Adds what an authenticator has made.
    @discardableResult
    func add(
        _ ceremony: TestCeremony, of passkey: TestPasskey? = nil, name: String = "",
        in session: String? = nil, key: String? = nil
    ) async throws -> GatewayV1.AddPasskeyResponse {
        let made = ceremony.registration(of: passkey ?? self.passkey)
        let request = GatewayV1.AddPasskeyRequest(
            credential: GatewayV1.PasskeyRegistration(
                id: made.id, rawId: made.rawID,
                response: GatewayV1.PasskeyAttestation(
                    clientDataJson: made.clientDataJSON,
                    attestationObject: made.attestationObject, transports: ["internal", "Usb"]),
                type: made.type), name: name, device: IdentityFixture.device)
        let context = identity.relayed(session ?? token, key)
        return try await handler.addPasskey(
            request, handler.call(PasskeysDescription.addPasskey, request, context))
    }

    /// Begins and adds.
    @discardableResult
    func add(
        _ passkey: TestPasskey? = nil, name: String = "", in session: String? = nil
    ) async throws -> GatewayV1.Passkey {
        let options = try await beginAdd(in: session)
        let answer = try await add(
            TestCeremony(challenge: options.challenge), of: passkey, name: name, in: session)
        return try #require(answer.passkey)
    }

    // MARK: using

    /// A new challenge for a sign-in.
    func signInChallenge() async throws -> String {
        let answer = try await handler.beginPasskeySignIn(.init(), identity.context())
        return try #require(answer.options).challenge
    }

    /// What an authenticator signs.
    static func assertion(
        _ ceremony: TestCeremony, by passkey: TestPasskey
    ) throws -> GatewayV1.PasskeyAssertion {
        let signed = try ceremony.assertion(by: passkey)
        return GatewayV1.PasskeyAssertion(
            id: signed.id, rawId: signed.rawID,
            response: GatewayV1.PasskeySignature(
                clientDataJson: signed.clientDataJSON,
                authenticatorData: signed.authenticatorData, signature: signed.signature,
                userHandle: signed.userHandle), type: signed.type)
    }

    /// Signs in.
    func signIn(
        _ ceremony: TestCeremony, by passkey: TestPasskey? = nil, in session: String? = nil,
        key: String? = nil
    ) async throws -> IdentityV1.AdmissionResponse {
        try await identity.identities.signInWithPasskey(
            .init(
                credential: try Self.assertion(ceremony, by: passkey ?? self.passkey),
                device: IdentityFixture.device), identity.relayed(session, key))
    }

    /// Begins and signs in.
    func signIn(_ passkey: TestPasskey? = nil) async throws -> IdentityV1.AdmissionResponse {
        try await signIn(TestCeremony(challenge: try await signInChallenge()), by: passkey)
    }

    /// The options of a proof.
    func beginProof(
        challenge: String = "", in session: String? = nil,
        on device: GatewayV1.Device = IdentityFixture.device
    ) async throws -> GatewayV1.PasskeyRequestOptions {
        let answer = try await handler.beginPasskeyProof(
            .init(challenge: challenge, device: device), identity.relayed(session))
        return try #require(answer.options)
    }

    /// Authenticates again.
    func prove(
        _ ceremony: TestCeremony, by passkey: TestPasskey? = nil, in session: String? = nil,
        key: String? = nil
    ) async throws -> IdentityV1.ProveBySecondFactorResponse {
        try await identity.secondProofs.proveBySecondFactor(
            .init(
                device: IdentityFixture.device,
                proof: .passkey(try Self.assertion(ceremony, by: passkey ?? self.passkey))),
            identity.relayed(session ?? token, key))
    }

    // MARK: managing

    /// The account's passkeys.
    func list(in session: String? = nil) async throws -> GatewayV1.ListPasskeysResponse {
        let context = identity.relayed(session ?? token)
        return try await handler.listPasskeys(
            .init(), handler.call(PasskeysDescription.listPasskeys, nil, context))
    }

    /// Renames a passkey.
    func rename(
        _ id: String, to name: String, in session: String? = nil
    ) async throws -> GatewayV1.Passkey {
        let request = GatewayV1.RenamePasskeyRequest(passkeyId: id, name: name)
        let context = identity.relayed(session ?? token)
        let answer = try await handler.renamePasskey(
            request, handler.call(PasskeysDescription.renamePasskey, request, context))
        return try #require(answer.passkey)
    }

    /// Removes a passkey.
    /// - Returns: those that are left.
    @discardableResult
    func remove(
        _ id: String, in session: String? = nil, key: String? = nil
    ) async throws -> [GatewayV1.Passkey] {
        let request = GatewayV1.RemovePasskeyRequest(
            passkeyId: id, device: IdentityFixture.device)
        let context = identity.relayed(session ?? token, key)
        return try await handler.removePasskey(
            request, handler.call(PasskeysDescription.removePasskey, request, context)
        ).passkeys
    }
}

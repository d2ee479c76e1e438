import Contracts
import Cryptography
import Messages
import PublicCalls
import RPC
import ServiceRuntime
import TestSupport

/// A passkey on a person's device, and what a browser there returns on the web service's own page.
struct OwnersPasskey: Sendable {
    /// The domain of passkeys, as `postern up` sets it.
    static let domain = "localhost"

    private let passkey: TestPasskey
    private let origin: String

    init(_ fixture: StoryFixture) throws {
        passkey = try TestPasskey(randomness: SecureRandomness())
        origin = try WebClient(fixture.cluster).url
            .replacing("127.0.0.1", with: OwnersPasskey.domain)
    }

    /// The credential's id, in Base64url.
    var id: String { Base64URL.encode(passkey.id) }

    /// The passkey in a record for `postern import jsonl`.
    var record: String {
        """
        {"credential_id":"\(id)","public_key":"\(Base64URL.encode(passkey.publicKey))",\
        "user_handle":"\(Base64URL.encode(Array("handle".utf8)))","rp_id":"\(Self.domain)"}
        """
    }

    /// What `navigator.credentials.create()` returns.
    func registration(
        _ options: GatewayV1.PasskeyCreationOptions?
    ) -> GatewayV1.PasskeyRegistration {
        GatewayV1.PasskeyRegistration(ceremony(options?.challenge).registration(of: passkey))
    }

    /// What `navigator.credentials.get()` returns.
    func signature(
        _ options: GatewayV1.PasskeyRequestOptions?
    ) throws -> GatewayV1.PasskeyAssertion {
        GatewayV1.PasskeyAssertion(try ceremony(options?.challenge).assertion(by: passkey))
    }

    private func ceremony(_ challenge: String?) -> TestCeremony {
        var ceremony = TestCeremony(challenge: challenge ?? "")
        ceremony.origin = origin
        ceremony.relyingParty = Self.domain
        return ceremony
    }
}

extension StoryFixture {
    /// Adds a passkey in a session.
    @discardableResult
    func add(
        _ passkey: OwnersPasskey, in app: SignedInApp
    ) async throws -> GatewayV1.AddPasskeyResponse {
        let options = try await backend.passkeys.beginPasskeyAdd(.init(), app.context()).options
        return try await backend.passkeys.addPasskey(
            .init(
                credential: passkey.registration(options), device: app.person.gatewayDevice),
            app.context())
    }

    /// A signature for a new challenge of a sign-in.
    func signature(
        by passkey: OwnersPasskey, of person: Person
    ) async throws -> GatewayV1.PasskeyAssertion {
        try passkey.signature(
            await backend.passkeys.beginPasskeySignIn(.init(), backend.context(person)).options)
    }

    /// A signature for the challenge of a sign-in that waits.
    func signature(
        by passkey: OwnersPasskey, of person: Person, for challenge: ServiceError.SecondProof
    ) async throws -> GatewayV1.PasskeyAssertion {
        try passkey.signature(
            await backend.passkeys.beginPasskeyProof(
                .init(challenge: challenge.challenge, device: person.gatewayDevice),
                backend.context(person)
            ).options)
    }

    /// Signs in with a signature for a sign-in.
    func signIn(
        _ person: Person, by signature: GatewayV1.PasskeyAssertion, accessToken: String? = nil,
        key: String? = nil
    ) async throws -> GatewayV1.SignInWithPasskeyResponse {
        try await backend.passkeys.signInWithPasskey(
            .init(credential: signature, device: person.gatewayDevice),
            backend.context(person, key: key).bearing(accessToken))
    }

    /// The passkeys of an account, in one of its sessions.
    func passkeys(
        _ session: GatewayV1.Session?, of person: Person
    ) async throws -> [GatewayV1.Passkey] {
        try await backend.passkeys.listPasskeys(
            .init(), backend.context(person).bearing(session?.accessToken)
        ).passkeys
    }
}

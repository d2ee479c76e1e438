import Contracts
package import Cryptography
package import Messages
package import RPC
package import ServiceRuntime

/// Who calls, and what exists before the call. `LiveCaller` creates it in running programs; a test
/// of the table's bounds has placeholders of the same lengths.
package protocol PreparedCaller: Sendable {
    /// A short name of this caller alone. Its email addresses and names derive from it.
    var name: String { get }
    /// The number of this caller alone. Its phone numbers derive from it.
    var number: Int { get }
    /// Its device.
    var device: CallDevice { get }
    /// The `iss` of Google's tokens.
    var googleIssuer: String { get }

    /// Its account of a kind, and the session that it is signed in with.
    func account(_ kind: CallerKind) async throws -> CallSession
    /// The ids of so many other live sessions of the owner.
    func otherSessions(_ count: Int) async throws -> [String]
    /// The token of a link that was mailed to it.
    func link(_ page: LinkPage) async throws -> String
    /// A code that was sent to its number of that index, and the request for it.
    /// - Parameter purpose: nil for a sign-in.
    func code(
        for purpose: GatewayV1.PhoneCodePurpose?, _ number: Int
    ) async throws -> GatewayV1.PhoneCodeProof
    /// What the dialog of "google" or "apple" gives the app, for its user of that index.
    func token(of provider: String, _ number: Int) async throws -> GatewayV1.ProviderToken
    /// Adds its user 0 at a provider, or its number 0 ("phone"), to the owner's account.
    func links(_ method: String) async throws
    /// Adds its user 0 at Google to the owner's account, and removes the password from it.
    func removesPassword() async throws
    /// The owner, who has linked Apple too, has signed in with a code to a number that has changed
    /// hands, and is asked for a second proof.
    /// - Returns: the challenge.
    func challenge() async throws -> String
    /// A code that was mailed for the challenge.
    func mailedChallengeCode() async throws -> (challenge: String, code: String)
    /// The owner begins to set up an authenticator app.
    func enrollment() async throws -> CallEnrollment
    /// The owner has set one up, by its first code.
    func factor() async throws -> CallFactor
    /// The owner, who has set one up, has signed in with the password, and is asked for a second
    /// proof.
    /// - Returns: the challenge.
    func factorChallenge() async throws -> String
    /// A code that the owner's app shows, and that was not used.
    func appCode() async throws -> String
    /// What an authenticator has made in the owner's session: another passkey than `passkey`.
    func newPasskey() async throws -> GatewayV1.PasskeyRegistration
    /// The owner has a passkey.
    /// - Returns: its id.
    func passkey() async throws -> String
    /// A signature by that passkey for a sign-in.
    func passkeySignature() async throws -> GatewayV1.PasskeyAssertion
    /// A notice of Apple about the owner, who has signed in with it.
    func appleNotice() async throws -> String
    /// Has documents, each in its version 1.
    func holds(_ documents: [GatewayV1.DocumentWrite], as kind: CallerKind) async throws
    /// Has a device for push messages, registered in the owner's session.
    /// - Returns: its id.
    func pushDevice() async throws -> String
    /// Has a photo.
    /// - Returns: its name.
    func photo() async throws -> String
    /// Has a change of email that waits for its link.
    func changesEmail() async throws
    /// Has an export that can be fetched.
    /// - Returns: its id.
    func export() async throws -> String
    /// Has a deletion that waits.
    func waitsForDeletion() async throws
    /// Confirms that the consequences of a deletion were shown.
    /// - Parameter link: the token of a link instead of a session; empty for none.
    func confirmation(link: String) async throws -> String
    /// A guest with the documents has signed in to the owner's account, which has them too.
    /// - Returns: the token for the choice.
    func collision(_ documents: [GatewayV1.DocumentWrite]) async throws -> String
    /// Has a migration of these documents, for which the account has no room.
    /// - Returns: its id.
    func migration(_ documents: [GatewayV1.DocumentWrite]) async throws -> String
    /// The token for the second page of the owner's documents.
    func secondPage() async throws -> String
    /// The owner's account is suspended.
    func isSuspended() async throws
    /// The account, or none for a request that creates one, and the writer's token for the request.
    /// - Parameter number: the call's number.
    func signed(
        _ request: SignedRequest, _ number: Int
    ) async throws -> GatewayV1.BackendCall
}

/// What a backend signs of a request.
package struct SignedRequest: Sendable {
    /// Whose request it is.
    package let method: MethodDescription
    /// The first of the signed parts.
    package let label: String
    /// Those after the actor.
    package let parts: [[UInt8]]
    /// Whether it names an account. The one that creates an account has none.
    package let hasAccount: Bool

    /// A request of any service.
    init(
        _ method: MethodDescription, label: String, hasAccount: Bool = true, _ parts: [[UInt8]]
    ) {
        self.method = method
        self.label = label
        self.hasAccount = hasAccount
        self.parts = parts
    }

    /// A request of `BackendDocuments`.
    /// - Parameter rpc: its method's own name.
    init(documents rpc: String, _ parts: [String]) {
        let methods = BackendDocumentsDescription.service.methods
        guard let method = methods.first(where: { $0.rpcName == rpc }) else {
            preconditionFailure("no method \(rpc)")
        }
        self.init(method, label: "postern documents v1", parts.map { Array($0.utf8) })
    }
}

/// The pages that links in mails lead to, by the last component of their paths.
package enum LinkPage: String, CaseIterable, Sendable {
    /// To verify the address of a new account.
    case verifyEmail = "verify-email"
    /// To set a new password.
    case resetPassword = "reset-password"
    /// To change the address.
    case changeEmail = "change-email"
    /// To delete the account.
    case deleteAccount = "delete-account"
    /// To cancel a deletion that waits.
    case keepAccount = "keep-account"
    /// To disown a sign-in.
    case notMe = "not-me"
    /// To keep the second factors that support is about to remove.
    case keepSecondFactors = "keep-second-factors"
    /// To fetch an export.
    case yourData = "your-data"
    /// To answer for a child.
    case parent
}

/// A session and its account.
package struct CallSession: Sendable {
    package let accountID: String
    package let sessionID: String
    package let accessToken: String
    package let refreshToken: String

    /// A session and its account.
    package init(accountID: String, sessionID: String, accessToken: String, refreshToken: String) {
        self.accountID = accountID
        self.sessionID = sessionID
        self.accessToken = accessToken
        self.refreshToken = refreshToken
    }
}

/// An authenticator app that is being set up.
package struct CallEnrollment: Sendable {
    package let token: String
    package let secret: SecretBytes

    /// What `BeginTOTP` has answered.
    package init(_ begun: GatewayV1.BeginTOTPResponse) {
        token = begun.enrollmentToken
        secret = SecretBytes(copying: Base32.decodeLeniently(begun.secret) ?? [])
    }

    /// A placeholder.
    package init(token: String) {
        self.token = token
        secret = SecretBytes(copying: [1])
    }

    /// The code that the app shows at a moment, as it is typed.
    /// - Parameter later: The steps after it.
    package func code(at moment: Timestamp, later: Int64 = 0) -> String {
        let code = TOTP.code(of: secret, at: TOTP.step(at: moment) + later)
        return String(decoding: code, as: UTF8.self)
    }
}

/// An authenticator app that is set up.
package struct CallFactor: Sendable {
    /// "fac_…"
    package let id: String
    package let recoveryCodes: [String]

    /// A factor and its recovery codes.
    package init(id: String, recoveryCodes: [String]) {
        self.id = id
        self.recoveryCodes = recoveryCodes
    }
}

extension PreparedCaller {
    /// Its device's message.
    package var own: GatewayV1.Device { device.message }
    /// The address of its account, as entered.
    package var email: String { Bound.email(name) }
    /// Its phone number of an index, as entered.
    package func phone(_ index: Int) -> String { Bound.phone(number, index) }

    /// One request of the writer about documents.
    /// - Parameter parts: what the token covers after the actor.
    func signed(
        _ method: String, _ parts: [String], _ number: Int
    ) async throws -> GatewayV1.BackendCall {
        try await signed(SignedRequest(documents: method, parts), number)
    }

    /// One request of the writer about a document.
    func signed(
        _ method: String, _ document: GatewayV1.DocumentWrite, _ number: Int
    ) async throws -> GatewayV1.BackendCall {
        try await signed(method, Bound.parts(of: document), number)
    }
}

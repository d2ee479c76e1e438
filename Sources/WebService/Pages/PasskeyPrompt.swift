import Contracts
import JSON
import Messages
import RPC
import ServiceRuntime
import Texts

/// The one script of the pages, on `/security` alone: it shows the browser's prompt for a passkey,
/// and puts the answer into the form that the page has already. Without it all else works.
package enum PasskeyScript {
    /// Its name behind `/pages/`.
    package static let name = "passkeys.js"
    /// The most that it may have, in bytes: it is read by everybody who audits a sign-in page.
    static let bytesMax = 4 * 1_024
    /// The script.
    package static let text = Texts.file("page/\(name)") ?? ""
}

/// What the script asks the browser for. It is data of a form: the page has no inline script.
package struct PasskeyPrompt: Hashable, Sendable {
    /// What is asked for. Raw values are the methods of `navigator.credentials`.
    enum Kind: String, Sendable {
        case create
        case get
    }

    /// The page gets another challenge this much earlier than the old one ends.
    private static let margin = Duration.seconds(30)

    let kind: Kind
    /// The options as `PublicKeyCredential.parse…OptionsFromJSON` takes them.
    let options: String
    /// In how many seconds the page gets another challenge.
    let seconds: Int64
    /// Whether the browser's list of suggestions has passkeys too.
    var isSuggested = false

    /// - Parameter expiresAt: When the challenge ends.
    init(_ kind: Kind, options: String, until expiresAt: Timestamp, at now: Timestamp) {
        self.kind = kind
        self.options = options
        seconds = max(1, (expiresAt - now - Self.margin).components.seconds)
    }
}

/// What the page tells the browser of passkeys, so that it offers those no longer which do not work
/// (Web Authentication Level 3, section 5.1.10).
package struct PasskeySignal: Hashable, Sendable {
    /// A method of `PublicKeyCredential`.
    let method: String
    /// Its argument, as JSON.
    let about: String

    /// No account has the passkey.
    static func unknown(_ credentialID: String, of domain: String) -> PasskeySignal {
        PasskeySignal(
            method: "signalUnknownCredential",
            about: JSONWriter.text([
                "rpId": .string(domain), "credentialId": .string(credentialID),
            ]))
    }

    /// The account has these, and no others.
    static func accepted(
        _ credentialIDs: [String], userHandle: String, of domain: String
    ) -> PasskeySignal {
        PasskeySignal(
            method: "signalAllAcceptedCredentials",
            about: JSONWriter.text([
                "rpId": .string(domain), "userId": .string(userHandle),
                "allAcceptedCredentialIds": .array(credentialIDs.map { .string($0) }),
            ]))
    }
}

/// The messages of passkeys in the JSON of browsers, which is that of calls.
enum PasskeyJSON {
    private static let creations = MessageJSON<GatewayV1.PasskeyCreationOptions>(
        of: PasskeysDescription.service)
    private static let requests = MessageJSON<GatewayV1.PasskeyRequestOptions>(
        of: PasskeysDescription.service)
    private static let registrations = MessageJSON<GatewayV1.PasskeyRegistration>(
        of: PasskeysDescription.service)
    private static let assertions = MessageJSON<GatewayV1.PasskeyAssertion>(
        of: PasskeysDescription.service)

    /// - Throws: as `MessageJSON.text`.
    static func text(of options: GatewayV1.PasskeyCreationOptions) throws -> String {
        try creations.text(of: options)
    }

    /// - Throws: as `MessageJSON.text`.
    static func text(of options: GatewayV1.PasskeyRequestOptions) throws -> String {
        try requests.text(of: options)
    }

    /// What a browser has made.
    /// - Throws: `auth/invalid-passkey` for what no browser sends.
    static func registration(
        _ text: String
    ) throws(ServiceError) -> GatewayV1.PasskeyRegistration {
        guard let message = registrations.message(text) else { throw ServiceError(.invalidPasskey) }
        return message
    }

    /// What a browser has signed.
    /// - Throws: `auth/invalid-passkey` for what no browser sends.
    static func assertion(_ text: String) throws(ServiceError) -> GatewayV1.PasskeyAssertion {
        guard let message = assertions.message(text) else { throw ServiceError(.invalidPasskey) }
        return message
    }
}

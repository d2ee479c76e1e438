import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// The validated request of a registration. Everything is checked before any work is done for it.
package struct Applicant: Sendable {
    /// In code points. The display name is for greetings; a full legal name may be longer.
    package static let displayNameMax = 128

    let address: EmailAddress
    let password: Password
    let displayName: String
    let language: String
    let origin: CallOrigin
    let device: SignInDevice
    /// The address has received the maximum number of mails caused by other callers, so none is
    /// sent.
    let isMailWithheld: Bool
    /// What the person has agreed to.
    let acceptance: Acceptance
    /// Keyed hash of the address, by which the account is looked up.
    let lookUpKey: [UInt8]
    /// Keyed hash of the address for the audit log.
    let subject: [UInt8]
    /// For idempotent retries; nil when the call carries no key.
    let repeatable: RepeatableCall?

    /// Reads a request. Whether the password has leaked is not asked here.
    /// - Parameter caller: The calling session; nil outside a session.
    /// - Throws: `auth/invalid-email`, `auth/weak-password` (I-02); `rpc/invalid-argument`, also
    ///   for an absent email or password.
    init(
        _ request: IdentityV1.RegisterRequest, in caller: CallingSession?, _ context: CallContext,
        _ keys: IdentityKeys, _ settings: IdentitySettings
    ) throws(ServiceError) {
        let signUp = request.signUp ?? GatewayV1.SignUpWithPasswordRequest()
        // What is absent was forgotten by the app: "enter a valid address" would mislead its developer.
        for (field, isAbsent) in [
            ("email", signUp.email.isEmpty), ("password", signUp.password.isEmpty),
        ] where isAbsent {
            throw ServiceError.invalidArgument(field, "It is absent.")
        }
        address = try EmailAddress.required(signUp.email)
        password = try Password.allowed(
            signUp.password, by: settings.passwordPolicy,
            PasswordContext(
                address: address, displayName: signUp.displayName, app: settings.appName))
        guard Self.isDisplayName(signUp.displayName) else {
            throw ServiceError(.invalidArgument, fields: ["display_name"])
        }
        displayName = signUp.displayName
        language = try context.mailLanguage(signUp.mailLanguage, settings)
        origin = CallOrigin(context, on: signUp.device, keys)
        device = SignInDevice(signUp.device, from: origin)
        isMailWithheld = request.mailWithheld
        acceptance = Acceptance(signUp.acceptance)
        lookUpKey = keys.lookUpKey(of: address)
        subject = keys.subject(of: address)
        repeatable = try RepeatableCall(
            AccountsDescription.register, request, by: caller.caller, context, keys)
    }

    /// The age gate at this sign-up.
    func ageGate(_ settings: IdentitySettings, _ writer: AccountWriter) -> AgeGate {
        AgeGate(settings.consent.age, acceptance, device, from: origin, writer)
    }

    /// Whether a name fits on one line of a mail or screen: within the maximum length, of characters
    /// that a name may have (`mayBeInDisplayName`), and not blank. An empty text is no name, and
    /// allowed.
    package static func isDisplayName(_ text: String) -> Bool {
        text.unicodeScalars.count <= displayNameMax
            && text.unicodeScalars.allSatisfy(mayBeInDisplayName)
            && (text.isEmpty || !isBlank(text))
    }

    /// Whether a name may have this character: control characters, line separators, and those which
    /// change the direction of the text after them are refused (UAX #9, 2.1 to 2.5). Attack: a child
    /// writes a name that turns round the sentence of the page that asks a parent.
    package static func mayBeInDisplayName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: !("\u{202A}"..."\u{202E}" ~= scalar || "\u{2066}"..."\u{2069}" ~= scalar)
        }
    }

    /// Whether a text shows nothing.
    package static func isBlank(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
        }
    }
}

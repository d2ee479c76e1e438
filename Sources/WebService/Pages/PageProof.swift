import Cryptography
import Messages
import ServiceRuntime

/// A kind of proof that a page can take: one that is typed, and on `/security`, which has a script, a
/// passkey. Raw values are the fields of `CompleteSignInRequest` and `ReauthenticateRequest` that
/// carry it. A provider's dialog needs an app.
///
/// To add one: a case, its sentences in `PageTexts.Proof`, and its field and messages below.
enum PageProofKind: String, CaseIterable, Sendable {
    case passkey
    case totp = "totp_code"
    case phone = "phone_code"
    case email = "email_code"
    case password
    case recovery = "recovery_code"

    /// Where its code is sent; nil for a kind that is at hand.
    var codeKind: GatewayV1.ChallengeCodeKind? {
        switch self {
        case .phone: .phone
        case .email: .email
        case .passkey, .totp, .password, .recovery: nil
        }
    }

    /// The field in which it is typed, or by which the script sends it.
    var field: Page.Field {
        switch self {
        case .passkey: .credential
        case .password: .password
        case .totp, .phone, .email, .recovery: .code
        }
    }

    /// What completes a sign-in.
    /// - Throws: `auth/invalid-passkey`.
    func second(
        _ typed: SecretBytes
    ) throws(ServiceError) -> GatewayV1.CompleteSignInRequest.Proof {
        switch self {
        case .passkey: .passkey(try PasskeyJSON.assertion(typed.text))
        case .totp: .totpCode(typed)
        case .phone: .phoneCode(typed)
        case .email: .emailCode(typed)
        case .password: .password(typed)
        case .recovery: .recoveryCode(typed)
        }
    }

    /// What proves in a session that it is its owner. Nil for a code that is sent: in a session it
    /// is requested for a number that is typed, which a page does not know.
    /// - Throws: `auth/invalid-passkey`.
    func again(
        _ typed: SecretBytes
    ) throws(ServiceError) -> GatewayV1.ReauthenticateRequest.Proof? {
        switch self {
        case .passkey: .passkey(try PasskeyJSON.assertion(typed.text))
        case .totp: .totpCode(typed)
        case .password: .password(typed)
        case .recovery: .recoveryCode(typed)
        case .phone, .email: nil
        }
    }

    /// Whether a session takes it as a fresh proof.
    var worksInSession: Bool { codeKind == nil }
}

extension SecretBytes {
    fileprivate var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

/// A proof that would do.
struct PageProofWay: Hashable, Sendable {
    let kind: PageProofKind
    /// What its owner recognises it by, `••• 0100`; may be empty.
    let hint: String
}

/// The form that asks for a proof.
package struct PageProofForm: Hashable, Sendable {
    /// The hidden field with the kind that is asked for, and the buttons of the other kinds.
    static let kindField = "kind"
    static let otherField = "other"
    /// The hidden field with the kinds that would do for a change.
    static let waysField = "ways"
    /// The button by which a code is sent.
    static let sendField = "send"
    /// The button that begins again.
    static let againField = "again"

    /// The proofs that would do, in the order to offer them.
    let ways: [PageProofWay]
    /// The one that is asked for, of `ways`.
    let chosen: PageProofKind
    /// Whether its code was sent.
    var isSent = false
    /// The change of `/security` that waits for it; nil at a sign-in.
    var act: SecurityAct?
    /// Whether the sign-in can begin again.
    var mayBeginAgain = true
    /// What the script asks for, of a passkey; nil for a kind that is typed, and where the options
    /// could not be had.
    var prompt: PasskeyPrompt?

    /// The chosen one.
    var way: PageProofWay {
        ways.first { $0.kind == chosen } ?? PageProofWay(kind: chosen, hint: "")
    }

    /// The others.
    var others: [PageProofWay] { ways.filter { $0.kind != chosen } }

    /// Whether a field asks for it now: a code has to be sent first.
    var asks: Bool { chosen.codeKind == nil || isSent }
}

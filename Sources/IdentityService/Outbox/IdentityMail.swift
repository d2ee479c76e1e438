import Contracts
import ServiceRuntime

/// The mails of the identity service (N-01), with what fills the variables of their templates.
enum IdentityMail: Hashable, Sendable {
    /// Verify your address, by a link (G-02, G-12).
    case verifyEmail(link: String, life: Duration)
    /// Set a new password, by a link (G-11).
    case resetPassword(link: String, life: Duration)
    /// To the new address: confirm the change, by a link (G-12).
    case emailChangeConfirm(link: String, life: Duration)
    /// To the current address: a change was requested (G-12).
    case emailChangeRequested(address: String, time: String)
    /// To the former address: it was changed (G-12).
    case emailChanged(address: String, time: String)
    /// The password was changed (N-01).
    case passwordChanged(device: String, time: String)
    /// A sign-in from a device that is new to the account (N-01, G-08).
    case newDevice(method: String, device: String, time: String)
    /// The account was created by a proof that verifies its address, or the first link has verified
    /// the address of a sign-up with a password (N-01).
    case welcome(name: String, device: String, time: String)
    /// A sign-in method was added (G-14, G-15).
    case methodAdded(method: String, device: String, time: String)
    /// A sign-in method was removed (G-14).
    case methodRemoved(method: String, device: String, time: String)
    /// The address's owner has verified it, and all earlier credentials were removed.
    case addressClaimed(methods: [String], time: String)
    /// Somebody tried to register your address (`alreadyRegistered(_:_:)`).
    case emailAlreadyRegistered(methods: [String], link: String)
    /// The operator has suspended the account (I-09).
    case accountSuspended(time: String)
    /// The operator has restored the account (I-09).
    case accountRestored(time: String)
    /// Some of a guest's documents could not be moved into the account (G-16).
    case guestDataAttention(documents: Int64)
    /// To a parent: consent to a child's account, or refuse it, by a link (G-23). It names neither
    /// the child nor the account: a stranger could write to any address through the name.
    case parentalConsent(link: String, time: String)
    /// Delete the account, by a link (G-19).
    case deletionLink(link: String, life: Duration)
    /// The account will be deleted at `time`; the link cancels it (G-19).
    case deletionScheduled(link: String, time: String)
    /// The deletion was cancelled (G-19).
    case deletionCancelled(time: String)
    /// The account is deleted (G-20).
    case deletionDone
    /// An export of the account's data is ready, and can be fetched until then (G-21).
    case exportReady(link: String, time: String)
    /// A newer session has displaced another one (S-03).
    case sessionDisplaced(device: String, time: String)
    /// A refresh token was used twice, so its session was ended (G-10).
    case sessionReplayed(device: String, time: String)

    /// The mail's template.
    var template: MailTemplate { content.template }

    /// A value for each variable of the template.
    var variables: [Variable] { content.variables }

    /// A variable of a template, and what fills it.
    typealias Variable = (variable: TemplateVariable, value: String)

    private var content: (template: MailTemplate, variables: [Variable]) {
        switch self {
        case .verifyEmail(let link, let life): (.verifyEmail, Self.filled(link, life))
        case .resetPassword(let link, let life): (.resetPassword, Self.filled(link, life))
        case .emailChangeConfirm(let link, let life): (.emailChangeConfirm, Self.filled(link, life))
        case .emailChangeRequested(let address, let time):
            (.emailChangeRequested, [(.address, address), (.time, time)])
        case .emailChanged(let address, let time):
            (.emailChanged, [(.address, address), (.time, time)])
        case .passwordChanged(let device, let time):
            (.passwordChanged, [(.device, device), (.place, ""), (.time, time)])
        case .newDevice(let method, let device, let time):
            (.newDevice, [(.method, method), (.device, device), (.place, ""), (.time, time)])
        case .welcome(let name, let device, let time):
            (.welcome, [(.name, name), (.device, device), (.place, ""), (.time, time)])
        case .methodAdded(let method, let device, let time):
            (.methodAdded, [(.method, method), (.device, device), (.time, time)])
        case .methodRemoved(let method, let device, let time):
            (.methodRemoved, [(.method, method), (.device, device), (.time, time)])
        case .addressClaimed(let methods, let time):
            (.addressClaimed, [(.methods, methods.joined(separator: " ")), (.time, time)])
        case .emailAlreadyRegistered(let methods, let link):
            (.emailAlreadyRegistered, [(.methods, methods.joined(separator: " ")), (.link, link)])
        case .accountSuspended(let time): (.accountSuspended, [(.time, time)])
        case .accountRestored(let time): (.accountRestored, [(.time, time)])
        case .guestDataAttention(let documents): (.guestDataAttention, [(.count, "\(documents)")])
        case .parentalConsent(let link, let time):
            (.parentalConsent, [(.link, link), (.time, time)])
        case .deletionLink(let link, let life): (.deletionLink, Self.filled(link, life))
        case .deletionScheduled(let link, let time):
            (.deletionScheduled, [(.link, link), (.time, time)])
        case .deletionCancelled(let time): (.deletionCancelled, [(.time, time)])
        case .deletionDone: (.deletionDone, [])
        case .exportReady(let link, let time): (.exportReady, [(.link, link), (.time, time)])
        case .sessionDisplaced(let device, let time):
            (.sessionDisplaced, [(.device, device), (.time, time)])
        case .sessionReplayed(let device, let time):
            (.sessionReplayed, [(.device, device), (.time, time)])
        }
    }

    private static func filled(_ link: String, _ life: Duration) -> [Variable] {
        [(.link, link), (.validity, "\(life.wholeMinutes)")]
    }
}

extension Duration {
    /// Minutes, rounded down, at least 1: how long a link or code is valid, as messages state it.
    var wholeMinutes: Int64 { max(1, milliseconds / 60_000) }
}

/// The mail to the owner of an address when somebody else tries to register it or to change to it
/// (FR-026, X-02). It names the account's sign-in methods and the page for setting a password.
///
/// The link leads to the app's page for forgotten passwords and contains no secret. The reader
/// requests the working link there, as in any reset (`requestPasswordReset`). Attack: with a token
/// in this mail, any stranger could order reset links by registering. That would bypass the limit
/// of three an hour, void the link that the owner has just requested, and write one row more than
/// for a free address, which discloses the account.
///
/// The sign-in methods are listed only for a verified address. Before that, an attacker may have
/// added them, and the mail would advertise the attacker's own method.
extension IdentityMail {
    /// The last component of the page's path, like those of `LinkPurpose`.
    private static let passwordPage = "forgot-password"

    /// The mail to the owner of the account `row`.
    static func alreadyRegistered(
        _ row: AccountRow, _ settings: IdentitySettings
    ) -> IdentityMail {
        let methods = row.address?.provedAt == nil ? [] : row.methods
        return .emailAlreadyRegistered(
            methods: methods.map { DeviceWords.words(name: $0.name, platform: "") },
            link: "\(settings.linkOrigin)/\(passwordPage)")
    }
}

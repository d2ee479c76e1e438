import Addresses
package import Contracts
import Messages
import ServiceRuntime

/// A mail that this service sends (N-01): a template, and what fills its variables.
package struct Mail: Sendable {
    let template: MailTemplate
    /// One for each variable of the template, in their order.
    let values: [MailValue]

    /// - Parameter values: In any order. A value without a variable in the template is left out.
    /// - Throws: `rpc/internal` if a variable of the template has no value. The notification
    ///   service would refuse that mail later, when its flow has ended without an error.
    package init(_ template: MailTemplate, _ values: [MailValue] = []) throws {
        self.template = template
        self.values = try values.filling(template)
    }
}

extension [MailValue] {
    /// One value for each variable of a template, in their order. Of several the first counts.
    /// - Throws: `rpc/internal` if a variable has no value.
    func filling(_ template: some MessageTemplate) throws -> [MailValue] {
        try template.variables.map { variable in
            guard let value = first(where: { $0.variable == variable }) else {
                throw ServiceError(
                    .internalError,
                    detail: "\(template.rawValue) has no value of \(variable.rawValue)")
            }
            return value
        }
    }
}

/// What fills a variable of a mail, or of a notice's other messages, in the form that the notification
/// service reads. Names are filtered (`DeviceWords`): strangers choose them.
package struct MailValue: Hashable, Sendable {
    let variable: TemplateVariable
    let text: String

    private init(_ variable: TemplateVariable, _ text: String) {
        self.variable = variable
        self.text = text
    }

    /// As a request to the notification service has it.
    var message: NotificationV1.Variable { .init(name: variable.rawValue, value: text) }

    /// No link, in a mail to an address that is not proved.
    static var noLink: MailValue { MailValue(.link, "") }

    /// A complete URL.
    static func link(_ url: String) -> MailValue { MailValue(.link, url) }

    /// The URL of the link by which the reader disowns the event; nil for none.
    static func notMeLink(_ url: String?) -> MailValue { MailValue(.notMeLink, url ?? "") }

    /// The page on which the reader changes the second factors; nil for none. It has no secret: the
    /// reader signs in there.
    static func securityLink(origin: String?) -> MailValue {
        MailValue(.securityLink, origin.map { "\($0)/security" } ?? "")
    }

    /// How long the link is valid.
    static func validity(_ life: Duration) -> MailValue {
        MailValue(.validity, "\(life.wholeMinutes)")
    }

    /// Another address of the reader.
    static func address(_ address: EmailAddress) -> MailValue {
        MailValue(.address, address.mailbox)
    }

    /// When it happened, or until when something is possible.
    static func time(_ moment: Timestamp) -> MailValue {
        MailValue(.time, NoticeTime.text(of: moment))
    }

    /// The device that caused it.
    static func device(_ device: DeviceShown) -> MailValue {
        MailValue(
            .device,
            DeviceWords.words(name: device.name, agent: device.agent, platform: device.platform))
    }

    /// Where the device was, `Berlin, DE`; empty if that is unknown.
    static func place(_ place: Place?) -> MailValue {
        let filtered = place.flatMap { Place(country: $0.country, city: words($0.city)) }
        return MailValue(.place, filtered?.shown ?? "")
    }

    /// The reader's name; may be empty.
    static func name(_ name: String) -> MailValue { MailValue(.name, words(name)) }

    /// A sign-in method.
    static func method(_ method: SignInMethod) -> MailValue {
        MailValue(.method, words(method.name))
    }

    /// Sign-in methods.
    static func methods(_ methods: [SignInMethod]) -> MailValue {
        MailValue(.methods, methods.map { words($0.name) }.joined(separator: " "))
    }

    /// A code to enter.
    static func code(_ code: PhoneCode) -> MailValue { MailValue(.code, code.digits) }

    /// How long the code is valid.
    static func minutes(_ life: Duration) -> MailValue {
        MailValue(.minutes, "\(life.wholeMinutes)")
    }

    /// A number of items.
    package static func count(_ count: Int) -> MailValue { MailValue(.count, "\(count)") }

    private static func words(_ name: String) -> String {
        DeviceWords.words(name: name, platform: "")
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
extension Mail {
    /// The last component of the page's path, like those of `LinkPurpose`.
    private static let passwordPage = "forgot-password"

    /// The mail to the owner of the account `row`.
    static func alreadyRegistered(_ row: AccountRow, _ settings: IdentitySettings) throws -> Mail {
        let methods = row.address?.provedAt == nil ? [] : row.methods
        let page = "\(settings.linkOrigin)/\(passwordPage)"
        return try Mail(.emailAlreadyRegistered, [.methods(methods), .link(page)])
    }
}

import ServiceRuntime

/// A way in to the account of a page that is for everyone (G-32): `/delete-account` and `/your-data`.
/// Raw values are in forms and in the cookie of a visit. What the installation has:
///
///     the page          offers, the first one at first      where
///     /delete-account   a mailed link                       passwords or providers are on
///                       address and password                passwords are on
///                       a code by text                      phone codes are on
///     /your-data        address and password                passwords are on, and the link's account
///                                                           has one
///                       a code by text                      phone codes are on
///
/// Who has a provider only opens the app, which makes a link to the page in its session.
enum PageWay: String, CaseIterable, Sendable {
    case mail
    case password
    case phone

    /// The name of the buttons that choose one.
    static let field = "way"

    /// The way whose form was sent, by what it has; nil for another form. It may be of another window
    /// than the last one.
    init?(of parameters: FormParameters) {
        let fields: [(name: String, way: PageWay)] = [
            (Page.Field.password.rawValue, .password), (Page.Field.number.rawValue, .phone),
            (Page.Field.code.rawValue, .phone), (PageProofForm.sendField, .phone),
            (Page.Field.email.rawValue, .mail),
        ]
        guard let sent = fields.first(where: { parameters[$0.name] != nil }) else { return nil }
        self = sent.way
    }
}

extension AppOptions {
    /// The ways in to a page, in the order to offer them; none for a page that has none.
    func ways(to page: Page, _ link: PageLink) -> [PageWay] {
        let phone: [PageWay] = takesPhones ? [.phone] : []
        switch page {
        case .deleteAccount:
            let mail: [PageWay] = takesPasswords || hasProviders ? [.mail] : []
            return mail + (takesPasswords ? [.password] : []) + phone
        case .yourData:
            return (takesPasswords && link.proof != .session ? [.password] : []) + phone
        default: return []
        }
    }
}

/// The form of a way in, with the others.
package struct PageWaysForm: Hashable, Sendable {
    /// Nil if the page has none: the app has to be opened.
    let chosen: PageWay?
    let others: [PageWay]
    /// The address that was typed.
    var email = ""
    /// The number that was typed.
    var number = ""
    /// Whether a code was sent to it.
    var isSent = false
    /// Whether people may have a provider only.
    var hasProviders = false
    /// Whether the archive is sent after the sign-in, and not shown.
    var sendsArchive = false
}

/// The number of a sign-in by a code, in the cookie of a visit.
struct PagePhone: Hashable, Sendable {
    /// As it was typed.
    let number: String
    /// From `RequestSignInCode`.
    let request: String
}

/// What `/your-data` shows to whom it knows: the archive, and what can be done.
package struct ExportPage: Hashable, Sendable {
    /// What is known of the archive.
    enum Archive: Hashable, Sendable {
        /// There is none.
        case none
        case preparing
        /// It can be fetched until then.
        case ready(until: Timestamp)
        /// It could not be looked up.
        case unknown
    }

    let token: String
    let archive: Archive
    /// Whether there is a session: a link orders none, and has nothing to sign out of.
    let isSignedIn: Bool
    var problem: PageProblem?
}

/// What a form of `/your-data` asks for. Raw values are the field of `SecurityAct`.
enum ExportAct: String, Sendable {
    case order
    case fetch
    case signOut = "sign-out"

    /// The name of the hidden field.
    static let field = SecurityAct.field
}

extension PageVisit {
    /// Whether the page knows the account: by a session, or by a link that needs nothing beside it.
    func opens(_ page: Page) -> Bool {
        guard session == nil else { return true }
        return !linkToken.isEmpty && (page == .deleteAccount || link.proof == .nothing)
    }
}

extension ServiceError {
    /// Whether the person of a page with a session has to sign in again.
    var asksForSignIn: Bool {
        [.sessionEnded, .invalidAccessToken, .requiresRecentLogin].contains(code)
    }
}

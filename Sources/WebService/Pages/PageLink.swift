/// What a page knows of its link before anything is typed, by `Auth/DescribeLink`.
package struct PageLink: Hashable, Sendable {
    /// What a link needs beside its token. Raw values are in the cookie of a visit.
    package enum Proof: String, Sendable {
        /// Nothing: the link alone does it.
        case nothing
        /// The account's password.
        case password
        /// A session, since the account has no password. A page has none.
        case session
    }

    /// Nothing: a page without a link, or one that is not described.
    package static let unknown = PageLink(email: "", proof: .password)

    /// The address that it was mailed to, or that of a sign-in; empty if that is not known.
    var email: String
    /// What it needs.
    var proof: Proof
}

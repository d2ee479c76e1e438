/// What a page knows of its link before anything is typed, by `Auth/DescribeLink`.
package struct PageLink: Hashable, Sendable {
    /// Nothing: a page without a link, or one that is not described.
    package static let unknown = PageLink(email: "", needsPassword: true)

    /// The address that it was mailed to; empty if that is not known.
    let email: String
    /// Whether the account's password is needed beside it.
    let needsPassword: Bool
}

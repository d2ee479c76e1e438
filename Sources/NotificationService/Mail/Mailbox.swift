/// An address with a display name.
package struct Mailbox: Hashable, Sendable {
    /// Leaves capacity for the rest of a subject that contains the name.
    private static let nameBytesMax = 100

    /// The name.
    package let name: HeaderText
    /// The address.
    package let address: MailAddress

    /// Validates a mailbox; nil when the name is not allowed in a header or longer than 100 bytes,
    /// or the address is invalid.
    package init?(name: String, address: String) {
        guard name.utf8.count <= Self.nameBytesMax, let name = HeaderText(name),
            let address = MailAddress(address)
        else { return nil }
        self.name = name
        self.address = address
    }

    /// The form in `From`.
    var text: String { "\(name.phrase) <\(address.text)>" }
}

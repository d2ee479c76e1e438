/// An address with the name that people see before it.
package struct Mailbox: Hashable, Sendable {
    /// Leaves room for the rest of a subject that holds the name.
    private static let nameBytesMax = 100

    /// The name.
    package let name: HeaderText
    /// The address.
    package let address: MailAddress

    /// Reads a mailbox; nil when the name cannot stand in a header, is longer than 100 bytes, or
    /// the address is none.
    package init?(name: String, address: String) {
        guard name.utf8.count <= Self.nameBytesMax, let name = HeaderText(name),
            let address = MailAddress(address)
        else { return nil }
        self.name = name
        self.address = address
    }

    /// As it stands in `From`.
    var text: String { "\(name.phrase) <\(address.text)>" }
}

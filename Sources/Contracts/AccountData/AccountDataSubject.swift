package import Messages
package import ServiceRuntime

/// The account of a request of `postern.accountdata.v1.AccountData`, validated.
package struct AccountDataSubject: Hashable, Sendable {
    /// Addresses and numbers of one account; it has one of each, and may have had others.
    private static let namesMax = 16
    private static let nameBytesMax = 512

    /// The account.
    package let account: AccountID
    /// Its email addresses.
    package let emails: [String]
    /// Its phone numbers in E.164.
    package let phoneNumbers: [String]

    /// An account of which no address is known.
    package init(_ account: AccountID) {
        self.account = account
        (emails, phoneNumbers) = ([], [])
    }

    /// The subject of a request.
    /// - Throws: `rpc/invalid-argument` with the field at fault.
    package init(_ subject: AccountDataV1.DataSubject?) throws(ServiceError) {
        guard let account = AccountID(text: subject?.accountId ?? "") else {
            throw ServiceError(.invalidArgument, fields: ["subject.account_id"])
        }
        self.account = account
        emails = try Self.names(subject?.emails ?? [], "subject.emails")
        phoneNumbers = try Self.names(subject?.phoneNumbers ?? [], "subject.phone_numbers")
    }

    private static func names(
        _ names: [String], _ field: String
    ) throws(ServiceError) -> [String] {
        guard names.count <= namesMax,
            names.allSatisfy({ (1...nameBytesMax).contains($0.utf8.count) })
        else { throw ServiceError(.invalidArgument, fields: [field]) }
        return names
    }
}

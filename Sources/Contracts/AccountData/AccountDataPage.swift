package import Messages
package import ServiceRuntime

extension AccountDataV1.ListAccountsWithDataRequest {
    /// The key of the last account of the previous page; 0 for the first page.
    /// - Throws: `rpc/invalid-argument` for a token that no response has.
    package func after() throws(ServiceError) -> Int64 {
        guard !pageToken.isEmpty else { return 0 }
        guard let account = AccountID(text: pageToken) else {
            throw ServiceError(.invalidArgument, fields: ["page_token"])
        }
        return account.key
    }
}

extension AccountDataV1.ListAccountsWithDataResponse {
    /// Accounts on a page.
    package static let accountsMax = 300

    /// The page that begins with the first of the accounts found.
    /// - Parameter found: of each kind the next `accountsMax` accounts, or fewer if there are no
    ///   more, in the order of their keys.
    package init(_ found: [(kind: AccountDataKind, accounts: [AccountID])]) {
        var kinds: [AccountID: [String]] = [:]
        for (kind, accounts) in found {
            for account in accounts { kinds[account, default: []].append(kind.rawValue) }
        }
        let accounts = kinds.keys.sorted { $0.key < $1.key }.prefix(Self.accountsMax)
        let isLast =
            kinds.count <= Self.accountsMax
            && found.allSatisfy { $0.accounts.count < Self.accountsMax }
        self.init(
            accounts: accounts.map {
                AccountDataV1.AccountWithData(accountId: $0.text, kinds: kinds[$0] ?? [])
            },
            nextPageToken: isLast ? "" : accounts.last?.text ?? "")
    }
}

import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDataHandler {
    /// Returns the accounts with push devices, a page of devices at a time; an account may be on
    /// several pages. Messages are not listed: they name their account by a keyed hash only, and
    /// end with their 7 days.
    func listAccountsWithData(
        _ request: AccountDataV1.ListAccountsWithDataRequest, _ context: CallContext
    ) async throws -> AccountDataV1.ListAccountsWithDataResponse {
        try context.requireIdentity()
        let after = try Self.device(request.pageToken)
        let limit = AccountDataV1.ListAccountsWithDataResponse.accountsMax
        let page = try await store.read { try $0.deviceOwners(after: after, limit: limit) }
        let owners = Set(try page.map { try keys.devices.openAccount($0.account, of: $0.device) })
        return AccountDataV1.ListAccountsWithDataResponse(
            accounts: owners.sorted { $0.key < $1.key }.map {
                AccountDataV1.AccountWithData(
                    accountId: $0.text, kinds: [AccountDataKind.pushDevice.rawValue])
            },
            nextPageToken: page.count < limit ? "" : page.last?.device.text ?? "")
    }

    /// The key of the last device of the previous page; 0 for the first page.
    private static func device(_ token: String) throws(ServiceError) -> Int64 {
        guard !token.isEmpty else { return 0 }
        guard let device = PushDeviceID(text: token) else {
            throw ServiceError(.invalidArgument, fields: ["page_token"])
        }
        return device.key
    }
}

extension SQLSession {
    /// The next devices by key, each with its sealed account. Devices that an earlier version
    /// registered have none until they register again.
    fileprivate func deviceOwners(
        after key: Int64, limit: Int
    ) throws -> [(device: PushDeviceID, account: [UInt8])] {
        try query(
            """
            SELECT id, sealed_account FROM push_device
            WHERE id > ? AND sealed_account IS NOT NULL ORDER BY id LIMIT ?
            """,
            [.integer(key), .integer(Int64(limit))]
        ) { row in
            guard let device = PushDeviceID(key: try row.integer(0)) else {
                throw SQLError(.unexpectedValue, detail: "push_device.id is not positive")
            }
            return (device, try row.blob(1))
        }
    }
}

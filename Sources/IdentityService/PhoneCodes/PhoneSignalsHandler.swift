import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.identity.v1.PhoneSignals`: reports of text message providers about phone numbers
///
struct PhoneSignalsHandler: PhoneSignalsService, AccountWriting {
    let store: Store
    let writer: AccountWriter
}

extension PhoneSignalsHandler {
    /// Stores that a number has changed: its keyed hash and the time. It does so whether or not the
    /// number belongs to an account. The owner of one is told, though not at that number.
    func numberChanged(
        _ request: IdentityV1.NumberChangedRequest, _ context: CallContext
    ) async throws -> IdentityV1.NumberChangedResponse {
        let number = try PhoneNumber.required(request.phoneNumber)
        let numberKey = keys.lookUpKey(of: number)
        try await store.write(about: [.hash(numberKey)]) { transaction in
            // Our own service sends the report, so its time is now or earlier. A clock that is
            // ahead must not extend the guard period.
            let now = min(transaction.at, Timestamp(milliseconds: request.toldAtMs))
            let stored = try transaction.numberChange(numberKey)
            guard let change = NumberChangeRule.afterReport(stored, at: now) else { return }
            try transaction.setNumberChange(numberKey, toldAt: change.toldAt)
            let account = try transaction.locked {
                try transaction.phoneIdentity(number, keys).account
            } about: {
                .account($0)
            }
            try transaction.audit(
                AuditEvent(
                    .phoneNumberChanged, account: account?.key, subject: keys.subject(of: number)))
            guard let account else { return }
            try notices.write(.numberChanged, to: account, DeviceShown(nil), transaction)
        }
        return IdentityV1.NumberChangedResponse()
    }
}

extension SQLSession {
    /// The stored change of a number; nil when there is none.
    func numberChange(_ numberKey: [UInt8]) throws -> NumberChange? {
        try queryOne(
            "SELECT told_at_ms, confirmed_at_ms FROM number_changes WHERE number_key = ?",
            [.blob(numberKey)]
        ) { row in
            NumberChange(toldAt: try row.timestamp(0), confirmedAt: try row.optionalTimestamp(1))
        }
    }
}

extension Transaction {
    /// Stores a change. It replaces the stored one, and its confirmation.
    func setNumberChange(_ numberKey: [UInt8], toldAt: Timestamp) throws {
        try put(
            """
            INSERT INTO number_changes (number_key, told_at_ms) VALUES (?, ?)
            ON CONFLICT (number_key) DO UPDATE SET
                told_at_ms = excluded.told_at_ms, confirmed_at_ms = NULL
            """,
            [.blob(numberKey), SQLValue(toldAt)])
    }

    /// Marks the stored change as confirmed by the number's owner.
    func confirmNumber(_ numberKey: [UInt8]) throws {
        try put(
            """
            UPDATE number_changes SET confirmed_at_ms = ?
            WHERE number_key = ? AND confirmed_at_ms IS NULL
            """,
            [SQLValue(at), .blob(numberKey)])
    }
}

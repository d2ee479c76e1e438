package import ServiceRuntime
package import Storage

/// An address that is not an account's yet, as it is stored: the new one of a pending change, or
/// the one of a sign-up under strict protection against account enumeration (G-12).
package struct PendingEmail: Sendable {
    private let sealedChange: [UInt8]?
    private let claim: Claim?

    /// Reads what is stored for an account.
    /// - Throws: `SQLError`.
    package init(of account: AccountID, at now: Timestamp, in session: some SQLSession) throws {
        sealedChange = try session.pendingChangeAddress(of: account, at: now)
        claim = try session.claim(of: account, at: now)
    }

    /// The address; empty for none.
    /// - Throws: if the account's key does not decrypt.
    package func text(of row: AccountRow, _ reader: AccountReader) throws -> String {
        if let sealedChange { return try reader.vault(row).open(sealedChange, .newAddress) }
        return try claim.map {
            try reader.vault(row).open($0.sealedAddress, .claimedAddress)
        } ?? ""
    }
}

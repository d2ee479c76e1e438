import Addresses
import Contracts
import ServiceRuntime
import Storage

/// The pending result of a sign-up under `enumeration: strict`: an address that its account does
/// not own yet, and the password that will sign in with it. Both wait for the first verification of
/// the address (Sources/SECURITY.md, Enumeration). Several accounts can have a claim on one
/// address; an account has at most one.
///
/// A superseded claim keeps its row, without its link, until it expires. If the row were deleted,
/// an attacker could see in the guest account that made the claim that the address's owner has
/// signed up.
struct Claim: Hashable, Sendable {
    /// Maximum number of claims on one address; a further one replaces the oldest. More than an
    /// owner makes by mistake, and too few to fill the store.
    static let perAddressMax = 32

    let account: AccountID
    /// Keyed hash of its link's token; nil if the claim is superseded because another account owns
    /// the address now.
    let tokenHash: [UInt8]?
    /// Keyed hash of the address.
    let addressKey: [UInt8]
    /// The address as entered.
    let sealedAddress: [UInt8]
    let sealedPasswordHash: [UInt8]
    let expiresAt: Timestamp
}

extension SQLSession {
    /// The claim that a link's token belongs to; nil if it has expired or is superseded.
    func claim(tokenHash: [UInt8], at moment: Timestamp) throws -> Claim? {
        try queryOne(
            "SELECT \(Claim.columns) FROM claims WHERE token_hash = ? AND expires_at_ms > ?",
            [.blob(tokenHash), SQLValue(moment)], Claim.init)
    }

    /// Whether a password may still be tried at a claim's link (`countGuess`).
    func mayGuess(at claim: Claim) throws -> Bool {
        try queryOne(
            """
            SELECT attempts FROM claims WHERE account = ? AND token_hash = ? AND attempts < ?
            """,
            [
                .integer(claim.account.key), SQLValue(claim.tokenHash),
                .integer(LinkProof.attemptsMax),
            ]
        ) { try $0.integer(0) } != nil
    }

    /// An account's claim, superseded or not; nil if it has expired.
    func claim(of account: AccountID, at moment: Timestamp) throws -> Claim? {
        try queryOne(
            "SELECT \(Claim.columns) FROM claims WHERE account = ? AND expires_at_ms > ?",
            [.integer(account.key), SQLValue(moment)], Claim.init)
    }
}

extension Transaction {
    /// Inserts a claim. It replaces the account's former claim, and the oldest claim on the address
    /// if the address has too many.
    func insert(_ claim: Claim) throws {
        try removeClaim(of: claim.account)
        let tooOld = try lockedClaimants(
            of: claim.addressKey, exceptNewest: Claim.perAddressMax - 1)
        for account in tooOld { try removeClaim(of: account) }
        try put(
            """
            INSERT INTO claims (account, token_hash, address_key, address, password_hash,
                claimed_at_ms, expires_at_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(claim.account.key), SQLValue(claim.tokenHash), .blob(claim.addressKey),
                .blob(claim.sealedAddress), .blob(claim.sealedPasswordHash), SQLValue(at),
                SQLValue(claim.expiresAt),
            ])
    }

    /// Gives a claim a new link; the former link becomes void.
    func relink(_ claim: Claim, tokenHash: [UInt8], expiresAt: Timestamp) throws {
        try put(
            "UPDATE claims SET token_hash = ?, attempts = 0, expires_at_ms = ? WHERE account = ?",
            [.blob(tokenHash), SQLValue(expiresAt), .integer(claim.account.key)])
    }

    /// Counts a password attempt at a claim's link, before the comparison.
    /// - Returns: false if the limit was reached before.
    func countGuess(at claim: Claim) throws -> Bool {
        try execute(
            """
            UPDATE claims SET attempts = attempts + 1
            WHERE account = ? AND token_hash = ? AND attempts < ?
            """,
            [
                .integer(claim.account.key), SQLValue(claim.tokenHash),
                .integer(LinkProof.attemptsMax),
            ]) == 1
    }

    /// Deletes an account's claim.
    func removeClaim(of account: AccountID) throws {
        try put("DELETE FROM claims WHERE account = ?", [.integer(account.key)])
    }

    /// Supersedes all claims on an address, because an account owns it now. Call it wherever an
    /// account gets an address.
    func voidClaims(on addressKey: [UInt8]) throws {
        guard try !lockedClaimants(of: addressKey).isEmpty else { return }
        try put(
            "UPDATE claims SET token_hash = NULL WHERE address_key = ?", [.blob(addressKey)])
    }

    /// The accounts that claim an address, without the newest claims, locked.
    private func lockedClaimants(
        of addressKey: [UInt8], exceptNewest count: Int = 0
    ) throws -> [AccountID] {
        try locked {
            let accounts = try query(
                """
                SELECT account FROM claims WHERE address_key = ?
                ORDER BY claimed_at_ms DESC, account
                """, [.blob(addressKey)]
            ) { try AccountID(stored: $0.integer(0)) }
            return Array(accounts.dropFirst(count))
        } about: {
            $0.map(Subject.account)
        }
    }
}

extension Claim {
    /// The columns that `init` reads.
    fileprivate static let columns =
        "account, token_hash, address_key, address, password_hash, expires_at_ms"

    fileprivate init(_ row: SQLRow) throws {
        account = try AccountID(stored: row.integer("account"))
        tokenHash = try row.optionalBlob("token_hash")
        addressKey = try row.blob("address_key")
        sealedAddress = try row.blob("address")
        sealedPasswordHash = try row.blob("password_hash")
        expiresAt = try row.timestamp("expires_at_ms")
    }
}

/// The mail for a new claim, or for one whose link is requested again. A free address gets the link
/// that confirms the claim. An address that has an account, in any state, gets a mail that says so:
/// a person who waits for the link there would wait in vain.
///
/// Both take the same steps, so that the time of a sign-up does not reveal which mail it was
/// one owner lookup, one account read, one address decrypted, one mail sealed.
struct ClaimMail: AccountWriting {
    let settings: IdentitySettings
    let writer: AccountWriter
    let transaction: Transaction

    /// Enqueues the mail. The claim must be in the store already.
    func write(_ claim: Claim, token: LinkToken) throws {
        let owner = try transaction.owner(ofAddress: claim.addressKey)
        guard let row = try transaction.account(owner ?? claim.account) else {
            throw ServiceError(.internalError, detail: "a claim's account is missing")
        }
        let vault = try reader.vault(row)
        let stored =
            try owner == nil
            ? vault.open(claim.sealedAddress, .claimedAddress)
            : row.address.map { try vault.open($0.sealed, .address) }
        guard let address = stored.flatMap(EmailAddress.init) else {
            throw ServiceError(.internalError, detail: "a claimed address is malformed")
        }
        let link = token.url(.verifyEmail, origin: settings.linkOrigin)
        let confirming = try Mail(
            .verifyEmail, [.link(link), .validity(settings.verificationLife)])
        let taken = try Mail.alreadyRegistered(row, settings)
        try transaction.enqueue(
            outbox.email(
                owner == nil ? confirming : taken, of: row.account, to: address.mailbox,
                language: row.language, expiresAt: owner == nil ? claim.expiresAt : nil,
                key: outbox.newKey()))
    }
}

import Cryptography
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("Fields that are sealed under an account's key")
struct AccountVaultTests {
    private static let key: Int64 = 4_711
    /// The key of a row that is not the account's own.
    private static let row: Int64 = 12

    private static func place(
        _ table: String, _ column: String, row: Int64 = Self.key
    ) -> SealedPlace { SealedPlace(table: table, column: column, row: row) }

    /// Each field with its place, which is authenticated with the value: what stores contain opens
    /// at no other one. So a place stays as it is, and new fields are added.
    private static func places(
        of blob: BlobName
    ) -> [(field: AccountVault.Field, place: SealedPlace)] {
        [
            (.address, place("email_addresses", "address")),
            (.displayName, place("profiles", "display_name")),
            (.newAddress, place("email_changes", "address")),
            (.claimedAddress, place("claims", "address")),
            (.claimedPasswordHash, place("claims", "password_hash")),
            (.photoURL, place("profiles", "photo_url")),
            (.passwordHash, place("passwords", "hash")),
            (.externalID, place("imported_accounts", "external_id")),
            (.customClaims, place("custom_claims", "document")),
            (.suspensionReason, place("suspensions", "reason")),
            (.birthDate, place("profiles", "birth_date")),
            (.parentEmail, place("parental_consents", "parent_email")),
            (.identityDetails(row), place("identities", "details", row: row)),
            (.identityGrant(row), place("identities", "sealed_grant", row: row)),
            (.document(row), place("documents", "payload", row: row)),
            (.migrationPicks(row), place("guest_migrations", "picks", row: row)),
            (.migrationDocument(row), place("guest_migration_documents", "payload", row: row)),
            (.photoName(row), place("photos", "name", row: row)),
            (.photoHash(row), place("photos", "hash", row: row)),
            (.photoPart(row, index: 1, of: 3), place("photos", "part 1 of 3", row: row)),
            (
                .exportPart(blob, index: 1, isLast: false),
                place("exports", "\(blob.text) part 1")
            ),
            (
                .exportPart(blob, index: 2, isLast: true),
                place("exports", "\(blob.text) part 2, the last")
            ),
        ]
    }

    @Test("each field opens at its place of the list")
    func places() throws {
        let randomness = SeededRandomness()
        let account = try #require(AccountID(key: Self.key))
        let master = SecretBytes.generate(count: SecretFile.keyBytes, randomness: randomness)
        let keys = try SealedBox(keys: [1: master], current: 1, randomness: randomness)
        let vault = try AccountVault(new: account, under: keys, randomness: randomness)
        let key = try keys.openSecret(
            vault.sealedKey, at: Self.place("account_keys", "sealed_key"))
        let box = try SealedBox(keys: [1: key], current: 1, randomness: randomness)
        for (field, place) in Self.places(of: BlobName(drawnFrom: randomness)) {
            let sealed = try vault.seal("a", field)
            #expect(box.opens(sealed, at: place), "\(field)")
        }
    }
}

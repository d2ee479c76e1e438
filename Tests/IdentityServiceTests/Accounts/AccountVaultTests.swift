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

    /// Fields in the account's row and in rows of their own. The list of all is `SealedPlaceTests`'.
    private static func places(
        of blob: BlobName
    ) -> [(field: AccountVault.Field, place: SealedPlace)] {
        [
            (.address, place("email_addresses", "address")),
            (.document(row), place("documents", "payload", row: row)),
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

    @Test("a value opens at the place of its field")
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

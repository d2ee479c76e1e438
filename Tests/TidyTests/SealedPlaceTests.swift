import TestSupport
import Testing

/// The names of a sealed field's table and column are authenticated with its value: what stores
/// contain opens under no others (`AccountVault.Field`).
@Suite("Sealed values keep their places")
struct SealedPlaceTests {
    @Test("each sealed field of an account has the place of the list")
    func places() throws {
        let checkout = try Checkout.here.get()
        let vault = try checkout.text(of: "Sources/IdentityService/Accounts/AccountVault.swift")
        let places = vault.matches(of: /Field\((.+)\)$/.anchorsMatchLineEndings())
            .map { "place \($0.1)" }
        let list = try UnchangedList("places")
        #expect(list.lost(in: places) == [])
        #expect(try list.unlisted(in: places) == [])
    }
}

import NotificationService
import TestSupport
import Testing

@Suite("The notification service's schema.sql")
struct SchemaTests {
    @Test("schema.sql holds the tables that the migrations make")
    func schema() async throws {
        let file = SchemaFile(of: "NotificationService")
        let made = try await file.text(of: NotificationStore.migrations)
        #expect(try file.text() == made, "\(CommittedFile.hint)")
    }

    @Test("a server's tables, columns and indexes are the same but for ten lines")
    func server() async throws {
        let differences = try await StoreSchema.differences(of: NotificationStore.migrations)
        #expect(differences == [])
        #expect(StoreSchema.differencesCount <= 10)
    }
}

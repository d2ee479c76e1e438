import Storage
import TestSupport
import Testing

@Suite("The engine of tests' stores")
struct TestStoreTests {
    @Test("POSTERN_TEST_STORE chooses it; a name that does not exist is an error that says so")
    func engine() throws {
        #expect(try TestStore.engine(nil) == .embedded)
        #expect(try TestStore.engine("embedded") == .embedded)
        #expect(try TestStore.engine("server") == .server)
        let error = #expect(throws: TestStore.UnknownEngine.self) {
            try TestStore.engine("postgres")
        }
        #expect(
            error?.description
                == "POSTERN_TEST_STORE is 'postgres': only 'embedded' and 'server' exist")
    }
}

import Storage
import TestSupport
import Testing

@Suite("The engine of tests' stores")
struct TestStoreTests {
    @Test("POSTERN_TEST_STORE chooses it; a name that does not exist is an error that says so")
    func engine() throws {
        #expect(try TestStore.engine(nil) is SubjectChecks)
        #expect(try TestStore.engine("embedded") is SubjectChecks)
        let error = #expect(throws: TestStore.UnknownEngine.self) {
            try TestStore.engine("postgres")
        }
        #expect(
            error?.description
                == "POSTERN_TEST_STORE is 'postgres', but only 'embedded' exists today")
    }
}

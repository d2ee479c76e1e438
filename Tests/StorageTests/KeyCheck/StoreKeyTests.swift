import TestSupport
import Testing

@testable import Storage

@Suite("B17: a store accepts only its own master key")
struct StoreKeyTests {
    private static let right: [UInt8] = [1, 2, 3]
    private static let wrong: [UInt8] = [9, 9, 9]

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("B17: the stored check decides, or else at least half of the sealed rows must open")
    func table() {
        func verdict(_ stored: [UInt8]?, _ opened: [Bool]) -> StoreKeyVerdict {
            StoreKeyVerdict(stored: stored, check: Self.right, opened: opened)
        }
        #expect(verdict(Self.right, []) == .proved(writesCheck: false))
        #expect(verdict(Self.wrong, []) == .refused)
        #expect(verdict(nil, []) == .proved(writesCheck: true))
        #expect(verdict(nil, [true]) == .proved(writesCheck: true))
        #expect(verdict(nil, [false]) == .refused)
        #expect(verdict(nil, [true, true, false]) == .proved(writesCheck: true))
        #expect(verdict(nil, [true, false]) == .proved(writesCheck: true))
        #expect(verdict(nil, [true, false, false]) == .refused)
    }

    /// Starts with a key. `opened` says which sealed rows it opens.
    private func start(_ check: [UInt8], opened: [Bool] = []) async throws {
        let store = try Entries.open(folder)
        defer { store.close() }
        try await store.requireKey(check: check, file: "/keys/a.key") { _, limit in
            #expect(limit == Store.keyTrialsMax)
            return opened
        }
    }

    @Test("B17: the first start writes the check, and later starts compare the key with it")
    func first() async throws {
        try await start(Self.right)
        try await start(Self.right, opened: [false])
        let error = await #expect(throws: StoreError.self) { try await start(Self.wrong) }
        let text = error?.description ?? ""
        let store = try Entries.open(folder)
        let (location, isOnServer) = (store.location, store.isOnServer)
        store.close()
        if isOnServer {
            #expect(text.contains("/keys/a.key is not the key of \(location)"))
            #expect(text.contains("copy the file of that name from the machine"))
        } else {
            #expect(text.contains("/keys/a.key does not open \(location)"))
            #expect(text.contains("start with the master key that the store was made with"))
        }
        try await start(Self.right)
    }

    @Test("B17: a store of an older version checks the key by its rows and then writes the check")
    func earlier() async throws {
        await #expect(throws: StoreError.self) { try await start(Self.wrong, opened: [false]) }
        try await start(Self.right, opened: [true])
        await #expect(throws: StoreError.self) { try await start(Self.wrong, opened: [true]) }
    }

    @Test("B17: a start with a stored check writes nothing, so it works on a full disk")
    func fullDisk() async throws {
        let plan = FaultPlan()
        let store = try Entries.open(folder, engine: FaultingEngine(plan))
        try await store.requireKey(check: Self.right, file: "") { _, _ in [] }
        plan.failAll([.execute, .commit], .diskFull)
        try await store.requireKey(check: Self.right, file: "") { _, _ in [] }
        store.close()
    }
}

import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("G-25: idempotency keys of calls")
struct IdempotencyTests {
    let folder: TemporaryFolder
    let time = ManualTime()
    let store: Store
    let key = [UInt8](repeating: 1, count: 16)

    init() throws {
        folder = try TemporaryFolder()
        store = try Entries.open(folder, time: time)
    }

    private func lookUp(_ key: [UInt8], _ fingerprint: [UInt8]) async throws
        -> IdempotencyTable.Memory
    {
        try await store.write(about: []) { try $0.remembered(key: key, fingerprint: fingerprint) }
    }

    @Test("a repeat gets the stored answer, and another request under the same key is rejected")
    func repeatsGetTheAnswer() async throws {
        #expect(try await lookUp(key, [7]) == .fresh)
        try await store.write(about: []) {
            try $0.remember(key: key, fingerprint: [7], answer: [0, 9])
        }
        #expect(try await lookUp(key, [7]) == .repeated(answer: [0, 9]))
        #expect(try await lookUp(key, [8]) == .mismatch)
        #expect(try await lookUp([UInt8](repeating: 2, count: 16), [7]) == .fresh)
    }

    @Test("of parallel repeats only one does the work")
    func parallelRepeatsWorkOnce() async throws {
        let results = await store.writeTogether(50) { [key] index, transaction in
            if case .repeated(let answer) = try transaction.remembered(
                key: key, fingerprint: [7])
            {
                return answer
            }
            try transaction.insertEntry(index)
            let answer = [UInt8(index)]
            try transaction.remember(key: key, fingerprint: [7], answer: answer)
            return answer
        }
        let answers = Set(results.map { try? $0.get() })
        #expect(answers.count == 1)
        let entries = try await store.read { try $0.entries() }
        #expect(answers.first == [UInt8(entries[0])] && entries.count == 1)
    }

    @Test("an answer is stored for a day, then its key may be used again")
    func answersAge() async throws {
        try await store.write(about: []) {
            try $0.remember(key: key, fingerprint: [7], answer: [1])
        }
        time.advance(by: IdempotencyTable.retention - .milliseconds(1))
        #expect(try await lookUp(key, [7]) == .repeated(answer: [1]))
        time.advance(by: .milliseconds(1))
        #expect(try await lookUp(key, [7]) == .fresh)
        try await store.write(about: []) {
            try $0.remember(key: key, fingerprint: [8], answer: [2])
        }
        #expect(try await lookUp(key, [8]) == .repeated(answer: [2]))
    }
}

import Glibc
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-02: the file of leaked passwords is read on a thread of its own", .timeLimit(.minutes(1)))
struct BreachedPasswordFileTests {
    let folder: TemporaryFolder
    let path: String
    let file: BreachedPasswordFile

    init() throws {
        folder = try TemporaryFolder()
        path = try folder.write(LeakedPasswords.text(["Leaked7Horse"], count: 3), to: "pwned.txt")
        file = try BreachedPasswordFile(path: path, list: try BreachedPasswordList(path: path))
    }

    private func count(_ password: String) async throws -> Result<Int, BreachFailure> {
        await file.count(of: try LeakedPasswords.sha1(password))
    }

    /// As an operator does it: the new file is written beside the former, and moved into place.
    private func replace(by text: String) throws {
        let new = try folder.write(text, to: "pwned-new.txt")
        try #require(rename(new, path) == 0)
    }

    @Test("I-02: parallel look-ups get each its own answer")
    func parallel() async throws {
        let right = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let isLeaked = number.isMultiple(of: 2)
                    let answer = try await count(isLeaked ? "Leaked7Horse" : "Other\(number)Horse")
                    return answer == .success(isLeaked ? 3 : 0)
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(right == 50)
    }

    @Test("I-02: a replaced file is opened again, and one with mistakes leaves the former in use")
    func followed() async throws {
        let log = CapturedLog()
        let metrics = MetricsRegistry()
        let files = try #require(file.followed(log.logger(), metrics))
        func isFailing() -> Bool {
            metrics.prometheusText()
                .contains(#"file_reload_failed{setting="breached-passwords-file"} 1"#)
        }
        for _ in 0..<3 { files.look() }
        #expect(log.lines.isEmpty)
        try replace(by: LeakedPasswords.text(["Later7Horse"], count: 4))
        for _ in 0..<3 { files.look() }
        #expect(log.lines.last?.contains("identity.breached_passwords.reloaded") == true)
        #expect(try await count("Later7Horse") == .success(4))
        #expect(try await count("Leaked7Horse") == .success(0))
        try replace(by: "no list\n")
        for _ in 0..<3 { files.look() }
        #expect(log.lines.count == 2 && isFailing())
        #expect(log.lines.last?.contains("not SHA1:COUNT") == true)
        #expect(try await count("Later7Horse") == .success(4))
        try #require(unlink(path) == 0)
        for _ in 0..<3 { files.look() }
        #expect(log.lines.count == 3 && isFailing())
        #expect(try await count("Later7Horse") == .success(4))
    }

    @Test("I-02: a file that was overwritten in place fails, and says why")
    func overwritten() async throws {
        try folder.write(String(repeating: "x", count: 43), to: "pwned.txt")
        let answer = try await count("Leaked7Horse")
        #expect(
            answer
                == .failure(.failed("the file has a line that is not SHA1:COUNT near byte 0")))
    }

    @Test("X-06: a look-up whose caller has gone is not begun")
    func gone() async throws {
        let password = try LeakedPasswords.sha1("Leaked7Horse")
        let answer = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await file.count(of: password)
        }.value
        #expect(answer == .failure(.skipped("cancelled")))
        #expect(try await count("Leaked7Horse") == .success(3), "the thread goes on")
    }
}

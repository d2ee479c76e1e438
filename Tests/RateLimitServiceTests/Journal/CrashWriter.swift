import Glibc

/// The program `LimitsCrashWriter`, running on a folder in its own process.
final class CrashWriter {
    struct NotStarted: Error {
        let code: Int32
    }

    let process: pid_t
    private let output: Int32
    private var unread: [UInt8] = []

    /// Starts the program, which is beside the tests' own executable.
    init(folder: String, from start: UInt64) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw NotStarted(code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let program = Self.folderOfPrograms() + "/LimitsCrashWriter"
        // A crash handler would keep the killed process's files open.
        let environment = ["SWIFT_BACKTRACE=enable=no"]
        var process = pid_t()
        let code = Self.withArguments([program, folder, "\(start)"]) { arguments in
            Self.withArguments(environment) { variables in
                posix_spawn(&process, program, &actions, nil, arguments, variables)
            }
        }
        close(ends[1])
        guard code == 0 else {
            close(ends[0])
            throw NotStarted(code: code)
        }
        self.process = process
        output = ends[0]
    }

    deinit {
        close(output)
    }

    /// The next `count` numbers that the program has acknowledged; fewer once it has ended.
    func acknowledged(_ count: Int = .max) -> [UInt64] {
        var numbers: [UInt64] = []
        while numbers.count < count {
            while let end = unread.firstIndex(of: 0x0A), numbers.count < count {
                if let number = UInt64(String(decoding: unread[..<end], as: UTF8.self)) {
                    numbers.append(number)
                }
                unread.removeSubrange(...end)
            }
            if numbers.count >= count || !readMore() { break }
        }
        return numbers
    }

    /// Kills it at once, at any point, and waits until it has exited.
    func kill() {
        Glibc.kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }

    private func readMore() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(output, &bytes, bytes.count)
        unread += bytes.prefix(max(0, count))
        return count > 0
    }

    private static func folderOfPrograms() -> String {
        var characters = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &characters, characters.count)
        let bytes = characters.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        let path = String(decoding: bytes, as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    private static func withArguments<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.compactMap { strdup($0) }
        defer { for copy in copies { free(copy) } }
        var list: [UnsafeMutablePointer<CChar>?] = copies
        list.append(nil)
        return body(list)
    }
}

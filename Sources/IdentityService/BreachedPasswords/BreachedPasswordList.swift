import Glibc
import ServiceRuntime

/// One content of the operator's file of leaked passwords: lines `SHA1:COUNT`, sorted by SHA-1, as
/// the downloader of Have I Been Pwned writes them: some 40 GB.
///
/// It is searched by bisection, without an index and without a copy in memory. Each read halves what
/// is left, so some 27 reads find one line of 40 GB. The system's cache has those that all searches
/// begin with, and the last three are of one or two pages. The file is read by pread(2) and not
/// mapped: a mapped file that somebody shortens in place ends the process (SIGBUS). Here it makes
/// look-ups fail.
///
/// All functions block their thread.
final class BreachedPasswordList: Sendable {
    /// Of one read: some twelve lines, so that whole ones are in it wherever it begins.
    private static let windowBytes = 512
    /// Parts of a new file that are read to see whether it is sorted, first and last included.
    private static let probes = 16

    private let file: Int32
    /// Its size when it was opened.
    private let bytes: Int

    /// Opens the file at `path`, and checks a few parts of it.
    /// - Throws: `BreachedListMistake`.
    init(path: String) throws(BreachedListMistake) {
        // O_NONBLOCK: a named pipe must not hold the program up.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .call("cannot be opened") }
        guard let stamp = FileStamp(of: file), stamp.isRegular else {
            close(file)
            throw BreachedListMistake("is no file")
        }
        self.file = file
        bytes = stamp.bytes
        try check()
    }

    deinit { close(file) }

    /// How many leaks had a password; 0 if the file has no line of it.
    /// - Throws: `BreachedListMistake` if the file cannot be read, or was changed in place.
    func count(of password: PasswordSHA1) throws(BreachedListMistake) -> Int {
        var window = [UInt8](repeating: 0, count: Self.windowBytes)
        // Whole lines. The others are sorted before or behind the password.
        var range = 0..<bytes
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let start = max(range.lowerBound, middle - Self.windowBytes / 2)
            let count = min(Self.windowBytes, range.upperBound - start)
            let lines = try lines(in: start..<start + count, of: range, &window)
            if password.place(besides: try lines.read(lines.first)) == .before {
                range = range.lowerBound..<lines.start
            } else if password.place(besides: try lines.read(lines.last)) == .behind {
                range = lines.end..<range.upperBound
            } else {
                return try lines.count(of: password)
            }
        }
        return 0
    }

    /// Reads a part of the file, and cuts off the lines that begin before it or end behind it.
    /// - Parameter range: The part begins and ends within it; its own ends cut no line.
    private func lines(
        in part: Range<Int>, of range: Range<Int>, _ window: inout [UInt8]
    ) throws(BreachedListMistake) -> Lines {
        let count = window.withUnsafeMutableBytes { window in
            Files.read(
                into: UnsafeMutableRawBufferPointer(rebasing: window[..<part.count]), from: file,
                at: part.lowerBound)
        }
        guard let count else { throw .call("cannot be read") }
        guard count == part.count else {
            throw BreachedListMistake("was shortened while it was in use")
        }
        var text = window[..<count]
        if part.lowerBound > range.lowerBound {
            text = text.drop { $0 != Lines.feed }.dropFirst()
        }
        if part.upperBound < range.upperBound {
            text = text[..<(text.lastIndex(of: Lines.feed).map { $0 + 1 } ?? text.startIndex)]
        }
        guard !text.isEmpty else { throw .malformed(near: part.lowerBound) }
        return Lines(text: text, start: part.lowerBound + text.startIndex)
    }

    /// Reads parts at equal distances. A list that is sorted by the number of leaks, as Have I Been
    /// Pwned has one too, or one of NTLM hashes, would find hardly any password.
    private func check() throws(BreachedListMistake) {
        guard bytes > 0 else { throw BreachedListMistake("is empty") }
        var window = [UInt8](repeating: 0, count: Self.windowBytes)
        let end = max(0, bytes - Self.windowBytes)
        var before: [UInt8] = []
        for probe in 0..<Self.probes {
            let isLast = probe == Self.probes - 1
            let start = isLast ? end : end / (Self.probes - 1) * probe
            let part = start..<start + min(Self.windowBytes, bytes - start)
            let lines = try lines(in: part, of: 0..<bytes, &window)
            let first = try lines.requireSorted()
            if let former = ListedPassword(before[...], digits: PasswordSHA1.digitCount),
                !former.mayPrecede(first)
            {
                throw .unsorted(near: start)
            }
            before = Array(lines.first)
        }
    }
}

extension BreachedPasswordList {
    /// Whole lines of the file, at least one.
    private struct Lines {
        static let feed = UInt8(ascii: "\n")

        let text: ArraySlice<UInt8>
        /// Where the first one begins in the file.
        let start: Int
        /// Where the last one ends in the file.
        var end: Int { start + text.count }

        var first: ArraySlice<UInt8> { text.prefix { $0 != Self.feed } }

        var last: ArraySlice<UInt8> {
            let text = text.last == Self.feed ? text.dropLast() : text
            return text[(text.lastIndex(of: Self.feed).map { $0 + 1 } ?? text.startIndex)...]
        }

        func read(_ line: ArraySlice<UInt8>) throws(BreachedListMistake) -> ListedPassword {
            guard let listed = ListedPassword(line, digits: PasswordSHA1.digitCount) else {
                throw .malformed(near: start)
            }
            return listed
        }

        /// How many leaks had a password, by these lines.
        func count(of password: PasswordSHA1) throws(BreachedListMistake) -> Int {
            for line in text.split(separator: Self.feed) {
                let listed = try read(line)
                switch password.place(besides: listed) {
                case .there: return listed.count
                case .before: return 0
                case .behind: continue
                }
            }
            return 0
        }

        /// - Returns: The first one.
        func requireSorted() throws(BreachedListMistake) -> ListedPassword {
            let first = try read(first)
            var former = first
            for line in text.split(separator: Self.feed) {
                let next = try read(line)
                guard former.mayPrecede(next) else { throw .unsorted(near: start) }
                former = next
            }
            return first
        }
    }
}

/// What is wrong with a file of leaked passwords.
struct BreachedListMistake: Error, Hashable, Sendable {
    /// In words that follow the file's path.
    let text: String

    init(_ text: String) { self.text = text }

    /// What `errno` says of a call that failed.
    static func call(_ what: String) -> BreachedListMistake {
        BreachedListMistake("\(what): \(String(cString: strerror(errno)))")
    }

    static func malformed(near byte: Int) -> BreachedListMistake {
        BreachedListMistake("has a line that is not SHA1:COUNT near byte \(byte)")
    }

    static func unsorted(near byte: Int) -> BreachedListMistake {
        BreachedListMistake("is not sorted by SHA-1 near byte \(byte)")
    }
}

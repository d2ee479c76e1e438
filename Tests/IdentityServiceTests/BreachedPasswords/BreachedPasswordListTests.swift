import FoundationEssentials
import Glibc
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-02: a file of leaked passwords", .timeLimit(.minutes(10)))
struct BreachedPasswordListTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func list(_ text: String) throws -> BreachedPasswordList {
        try BreachedPasswordList(path: try folder.write(text, to: "pwned.txt"))
    }

    private func mistake(at path: String) -> String {
        do throws(BreachedListMistake) {
            _ = try BreachedPasswordList(path: path)
            return "none"
        } catch {
            return error.text
        }
    }

    private func mistake(in text: String) throws -> String {
        mistake(at: try folder.write(text, to: "pwned.txt"))
    }

    /// 100,000 lines; in a soak ten million, 460 MB.
    @Test("I-02: of a long list each planted password is found with its count, and no other one")
    func long() throws {
        let planted = (1...1_000).map { "Planted\($0)Horse" }
        let path = folder.file("pwned.txt")
        try LeakedPasswords.write(
            SoakRounds.isLong ? 10_000_000 : 100_000, planting: planted, to: path)
        let list = try BreachedPasswordList(path: path)
        var mistakes: [String] = []
        for (index, password) in planted.enumerated() {
            let count = try list.count(of: LeakedPasswords.sha1(password))
            if count != index + 1 { mistakes.append(password) }
        }
        for number in 1...10_000 {
            let password = "Other\(number)Horse"
            let count = try list.count(of: LeakedPasswords.sha1(password))
            if count != 0 { mistakes.append(password) }
        }
        #expect(mistakes == [])
    }

    /// One read has some twelve lines.
    @Test(
        "I-02: first, last and all other lines are found, in lists of each length",
        arguments: [1, 2, 3, 10, 11, 12, 13, 14, 23, 24, 25, 100, 400])
    func lengths(count: Int) throws {
        let listed = (0..<count).map { "listed\($0)" }
        let text = LeakedPasswords.text(listed, count: 7)
        let forms = [
            text, String(text.dropLast()), text.replacing("\n", with: "\r\n"),
            text.lowercased(),
        ]
        for form in forms {
            let list = try list(form)
            for password in listed {
                #expect(try list.count(of: LeakedPasswords.sha1(password)) == 7, "\(password)")
            }
            for number in 0..<50 {
                #expect(try list.count(of: LeakedPasswords.sha1("other\(number)")) == 0)
            }
        }
    }

    @Test("I-02: the hash and the line are those of the published list")
    func published() throws {
        // A line of Pwned Passwords.
        let list = try list("5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:52256179\n")
        #expect(try list.count(of: LeakedPasswords.sha1("password")) == 52_256_179)
        #expect(try list.count(of: LeakedPasswords.sha1("passwore")) == 0)
        #expect(try LeakedPasswords.sha1("password").range == "5BAA6")
    }

    @Test(
        "I-02: another file is refused, with what is wrong and where",
        arguments: [
            ("", "is empty"),
            ("\n", "has a line that is not SHA1:COUNT near byte 0"),
            ("password:1\n", "has a line that is not SHA1:COUNT near byte 0"),
            ("8846F7EAEE8FB117AD06BDD830B7586C:1\n", "not SHA1:COUNT"),
            ("5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8\n", "not SHA1:COUNT"),
            ("5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:\n", "not SHA1:COUNT"),
            ("5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:-1\n", "not SHA1:COUNT"),
            ("5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:9999999999999999\n", "not SHA1:COUNT"),
            ("5BAA61E4C9B93F3F0682250B6CF8331B7EE68FDG:1\n", "not SHA1:COUNT"),
            (String(repeating: "A", count: 100_000), "not SHA1:COUNT"),
        ])
    func refused(text: String, said: String) throws {
        #expect(try mistake(in: text).contains(said))
    }

    @Test("I-02: a list that is sorted by the number of leaks is refused")
    func unsorted() throws {
        let lines = LeakedPasswords.lines((0..<2_000).map { ("listed\($0)", $0) })
        var randomness = SeededRandomness(seed: 1)
        for other in [lines.shuffled(using: &randomness), lines.reversed()] {
            let text = other.joined(separator: "\n")
            #expect(try mistake(in: text).contains("is not sorted by SHA-1 near byte 0"))
        }
    }

    @Test("I-02: a missing file and a folder are refused")
    func missing() throws {
        let missing = mistake(at: folder.file("none.txt"))
        #expect(missing.hasPrefix("cannot be opened: No such file"))
        #expect(mistake(at: folder.path) == "is no file")
    }

    /// An accident: the downloader writes over the file in use.
    @Test("I-02: a file that is shortened or overwritten in place fails, and ends nothing")
    func changedInPlace() throws {
        let listed = (0..<1_000).map { "listed\($0)" }
        let text = LeakedPasswords.text(listed)
        let list = try list(text)
        try #require(truncate(folder.file("pwned.txt"), text.utf8.count / 2) == 0)
        #expect(failures(of: list, listed).contains("was shortened while it was in use"))
        let file = open(folder.file("pwned.txt"), O_WRONLY | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        let other = [UInt8](repeating: UInt8(ascii: "x"), count: text.utf8.count)
        try #require(other.withUnsafeBytes { Files.write($0, to: file, at: 0) })
        let overwritten = failures(of: list, listed)
        #expect(overwritten.count == listed.count)
        #expect(overwritten.allSatisfy { $0.contains("not SHA1:COUNT") })
    }

    private func failures(of list: BreachedPasswordList, _ passwords: [String]) -> [String] {
        passwords.compactMap { password in
            do {
                _ = try list.count(of: LeakedPasswords.sha1(password))
                return nil
            } catch let mistake as BreachedListMistake {
                return mistake.text
            } catch {
                return "\(error)"
            }
        }
    }

    @Test("I-02: a file that is cut, changed or random ends nothing", arguments: UInt64(1)...8)
    func damaged(seed: UInt64) throws {
        let generator = SeededRandomness(seed: seed)
        let whole = Array(LeakedPasswords.text((0..<500).map { "listed\($0)" }).utf8)
        for round in 0..<40 {
            var bytes = whole
            switch round % 3 {
            case 0: bytes.removeLast(Int(generator.next() % UInt64(bytes.count)))
            case 1:
                for _ in 0..<20 {
                    let place = Int(generator.next() % UInt64(bytes.count))
                    bytes[place] = UInt8(truncatingIfNeeded: generator.next())
                }
            default: bytes = generator.bytes(whole.count)
            }
            let path = folder.file("damaged.txt")
            try Data(bytes).write(to: URL(filePath: path))
            do {
                let list = try BreachedPasswordList(path: path)
                for number in 0..<50 {
                    _ = try list.count(of: LeakedPasswords.sha1("listed\(number)"))
                }
            } catch let mistake as BreachedListMistake {
                #expect(!mistake.text.isEmpty)
            }
        }
    }
}

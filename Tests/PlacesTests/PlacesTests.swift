import Addresses
import Foundation
import ServiceRuntime
import TestSupport
import Testing

@testable import Places

@Suite("G-08: where an address is, by the operator's place file", .timeLimit(.minutes(1)))
struct PlacesTests {
    private static let file = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "places.mmdb").path

    private static func content() throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: file)))
    }

    /// Which addresses a file is asked for.
    private static let asked = [
        "192.0.2.1", "192.0.2.200", "198.51.100.7", "203.0.113.1", "203.0.113.17", "203.0.113.33",
        "203.0.113.49", "203.0.113.65", "203.0.113.81", "203.0.113.97", "2001:db8:1::7", "8.8.8.8",
        "::1", "2001:db8:2::1", "255.255.255.255", "0.0.0.0",
    ]

    private func place(_ address: String, in places: Places) throws -> Place? {
        places.place(of: try #require(ClientAddress(address)))
    }

    @Test("an address has its country and its city, with a position to a tenth of a degree")
    func known() throws {
        let places = Places(file: Self.file)
        #expect(places.mistake == nil)
        let berlin = try #require(try place("192.0.2.1", in: places))
        #expect(berlin.shown == "Berlin, DE")
        #expect(berlin.position == Place.Position(latitude: 525, longitude: 134))
        let mapped = try place("::ffff:192.0.2.1", in: places)
        #expect(mapped == berlin, "one client has one place")
        #expect(try place("192.0.2.200", in: places) == Place(country: "FR"))
        #expect(try place("198.51.100.7", in: places)?.shown == "Tōkyō, JP")
        #expect(try place("2001:db8:1::7", in: places)?.shown == "Amsterdam, NL")
        for unknown in ["8.8.8.8", "::1", "2001:db8:2::1"] {
            #expect(try place(unknown, in: places) == nil, "\(unknown)")
        }
    }

    @Test("what is no place in the file is left out, or is none")
    func strange() throws {
        let places = Places(file: Self.file)
        for none in ["203.0.113.1", "203.0.113.65", "203.0.113.81", "203.0.113.97"] {
            #expect(try place(none, in: places) == nil, "\(none)")
        }
        let position = Place.Position(latitude: -235, longitude: -466)
        #expect(
            try place("203.0.113.17", in: places) == Place(country: "BR", position: position),
            "a line break in a name")
        #expect(try place("203.0.113.33", in: places)?.shown == "AR", "too long a name")
        let nowhere = try place("203.0.113.49", in: places)
        #expect(nowhere == Place(country: "US", city: "Nowhere"), "a position on no globe")
    }

    @Test("without a file, or with one that is none, every place is unknown")
    func none() throws {
        #expect(Places(file: nil).mistake == nil)
        #expect(try place("192.0.2.1", in: Places(file: nil)) == nil)
        let folder = try TemporaryFolder()
        let missing = Places(file: folder.file("none.mmdb"))
        #expect(missing.mistake?.contains("cannot be opened: No such file") == true)
        #expect(Places(file: folder.path).mistake?.hasSuffix("is no file") == true)
        let text = Places(file: try folder.write("network,country\n192.0.2.0/24,DE\n", to: "a"))
        #expect(text.mistake?.contains("is no MaxMind DB") == true)
        #expect(try place("192.0.2.1", in: text) == nil)
    }

    /// Attack, or an accident: a download that was cut off, a disk with errors, another file.
    @Test("a file that is cut, changed or random ends nothing", arguments: UInt64(0)..<8)
    func damaged(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let whole = try Self.content()
        let generator = SeededRandomness(seed: seed + 1)
        func number(_ below: Int) -> Int {
            generator.bytes(4).reduce(0) { $0 << 8 | Int($1) } % below
        }
        for round in 0..<60 {
            var bytes = whole
            switch round % 4 {
            case 0: bytes.removeLast(number(bytes.count))
            case 1: for _ in 0...number(8) { bytes[number(bytes.count)] ^= UInt8(1 + number(255)) }
            case 2:
                let start = number(bytes.count)
                for index in start..<min(bytes.count, start + 200) { bytes[index] = 0xff }
            default: bytes = generator.bytes(whole.count)
            }
            let path = folder.file("\(round).mmdb")
            try Data(bytes).write(to: URL(filePath: path))
            let places = Places(file: path)
            for address in Self.asked { _ = try place(address, in: places) }
        }
    }

    @Test("the file that is read is a copy: overwriting or cutting it in place changes nothing")
    func sealed() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("places.mmdb")
        try Data(Self.content()).write(to: URL(filePath: path))
        let places = Places(file: path)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: 0)
        for address in Self.asked { _ = try place(address, in: places) }
        #expect(try place("192.0.2.1", in: places)?.shown == "Berlin, DE")
        try handle.write(contentsOf: Data(repeating: 0xff, count: try Self.content().count))
        try handle.close()
        #expect(try place("192.0.2.1", in: places)?.shown == "Berlin, DE")
    }

    @Test("a replaced file is read again, and one with mistakes leaves the former in force")
    func followed() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("places.mmdb")
        try Data(Self.content()).write(to: URL(filePath: path))
        let log = CapturedLog()
        let places = Places(file: path)
        let files = try #require(places.followed(log.logger()))
        files.look()
        files.look()
        #expect(log.lines.isEmpty)
        try Data("garbage".utf8).write(to: URL(filePath: path))
        for _ in 0..<3 { files.look() }
        #expect(log.lines.count == 1)
        #expect(log.lines.last?.contains("gateway.places.reload.failed") == true)
        #expect(try place("192.0.2.1", in: places)?.shown == "Berlin, DE")
        try FileManager.default.removeItem(atPath: path)
        for _ in 0..<3 { files.look() }
        #expect(log.lines.count == 2)
        try Data(Self.content()).write(to: URL(filePath: path))
        for _ in 0..<3 { files.look() }
        #expect(log.lines.last?.contains("gateway.places.reloaded") == true)
        #expect(try place("198.51.100.7", in: places)?.country == "JP")
        #expect(Places(file: nil).followed(log.logger()) == nil)
    }
}

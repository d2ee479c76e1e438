import Addresses
import Foundation
import ServiceRuntime
import TestSupport
import Testing

@testable import Places

/// A file of cities as it is published: `docker/soak.sh 1 1 places` names one.
@Suite(
    "G-08: a published file of places",
    .enabled(if: ProcessInfo.processInfo.environment["POSTERN_PLACE_FILE"] != nil))
struct PublishedPlacesTests {
    private let path = ProcessInfo.processInfo.environment["POSTERN_PLACE_FILE"] ?? ""

    private func place(_ address: String, in places: Places) throws -> Place? {
        places.place(of: try #require(ClientAddress(address)))
    }

    @Test("it opens, and knows addresses of both families")
    func opens() throws {
        let places = Places(file: path)
        #expect(places.mistake == nil)
        #expect(try place("8.8.8.8", in: places)?.country == "US")
        #expect(try place("2001:4860:4860::8888", in: places)?.country == "US")
        #expect(try place("192.0.2.1", in: places) == nil)
    }

    @Test("changed in a thousand bytes or cut off, it ends nothing")
    func damaged() throws {
        let folder = try TemporaryFolder()
        let whole = try Data(contentsOf: URL(filePath: path))
        let randomness = SeededRandomness(seed: 3)
        func number(_ below: Int) -> Int {
            randomness.bytes(4).reduce(0) { $0 << 8 | Int($1) } % below
        }
        for round in 0..<20 {
            var bytes = whole
            if round.isMultiple(of: 4) {
                bytes.removeLast(1 + number(bytes.count))
            } else {
                for _ in 0..<1_000 { bytes[number(bytes.count)] ^= UInt8(1 + number(255)) }
            }
            let file = folder.file("places.mmdb")
            try bytes.write(to: URL(filePath: file))
            let places = Places(file: file)
            for _ in 0..<10_000 {
                let address = ClientAddress(bytes: randomness.bytes(4))
                _ = places.place(of: try #require(address))
            }
        }
    }
}

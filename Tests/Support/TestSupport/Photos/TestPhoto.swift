/// Photos for tests: JPEG files of one colour component, whose picture is random.
package enum TestPhoto {
    /// A photo of exactly so many bytes, 64 by 64 pixels.
    /// - Parameters:
    ///   - bytes: its length, at least 400.
    ///   - seed: another seed gives another photo.
    ///   - isTagged: with EXIF, as from a camera: with the canary `gps` in it.
    package static func jpeg(bytes: Int = 4_000, seed: UInt64 = 1, isTagged: Bool = false)
        -> [UInt8]
    {
        var photo: [UInt8] = [0xFF, 0xD8]
        photo += segment(0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])
        if isTagged { photo += segment(0xE1, Array("Exif\0\0".utf8) + Array(gps.utf8)) }
        photo += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        // Baseline, 8 bits, height and width 64, one component.
        photo += segment(0xC0, [8, 0, 64, 0, 64, 1, 1, 0x11, 0])
        for table: UInt8 in [0x00, 0x10] {
            // One code of one bit.
            photo += segment(0xC4, [table, 1] + [UInt8](repeating: 0, count: 15) + [0])
        }
        photo += segment(0xDA, [1, 1, 0, 0, 63, 0])
        precondition(bytes >= photo.count + 2, "no space for the picture")
        let randomness = SeededRandomness(seed: seed)
        let picture = [UInt8](unsafeUninitializedCapacity: bytes - photo.count - 2) {
            buffer, count in
            randomness.fill(UnsafeMutableRawBufferPointer(buffer))
            count = buffer.count
        }
        // 0xFF would begin a marker.
        return photo + picture.map { $0 == 0xFF ? 0xFE : $0 } + [0xFF, 0xD9]
    }

    /// What a tagged photo has in its EXIF.
    package static let gps = "GPS-canary-52.5200N-13.4050E"

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = UInt16(content.count + 2)
        return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + content
    }
}

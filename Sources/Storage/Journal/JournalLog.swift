/// The log being written: its file and the length of its intact content.
struct JournalLog {
    let generation: UInt64
    let file: any JournalFile
    /// Where the next frame is written.
    private(set) var length: Int
    /// The next frame's number.
    private(set) var frames: UInt64

    /// A log of that length.
    init(generation: UInt64, file: any JournalFile, length: Int = 0, frames: UInt64 = 0) {
        self.generation = generation
        self.file = file
        self.length = length
        self.frames = frames
    }

    /// Writes a frame after the last intact one, overwriting what a failed attempt left there.
    mutating func append(_ frame: UnsafeRawBufferPointer) throws {
        try file.write(frame, at: length)
        try file.sync()
        length += frame.count
        frames += 1
    }
}

//! What kind of file system a path is on, by its number: what can be promised there depends on it.

/// A file system, as far as its kind tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSystem {
    /// What it is called.
    pub name: &'static str,
    /// What that means for what is kept on it.
    pub nature: Nature,
}

/// What a file system means for the files on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// On a disk of this machine, with all that is asked of it.
    Local,
    /// Several directories shown as one, as containers have it; the upper one is on this machine.
    Layered,
    /// Gone after a restart.
    Memory,
    /// A program answers for it (FUSE): it does what that program does.
    Daemon,
    /// Other machines change files behind our back; locks, renames and syncs may mean less than here.
    Network,
    /// No second names, no owners, and before Linux 6.0 no exchange of two files.
    Fat,
    /// Not one of these.
    Unknown,
}

impl FileSystem {
    /// One that is not known.
    pub const UNKNOWN: FileSystem = FileSystem { name: "unknown", nature: Nature::Unknown };

    /// By its number, as Linux tells it.
    #[must_use]
    pub fn by_number(number: u32) -> FileSystem {
        let known = KNOWN.iter().find(|(magic, ..)| *magic == number);
        known.map_or(FileSystem::UNKNOWN, |(_, name, nature)| FileSystem { name, nature: *nature })
    }
}

/// The numbers of linux/magic.h and of the file systems' own headers.
const KNOWN: [(u32, &str, Nature); 31] = [
    (0xef53, "ext2/3/4", Nature::Local),
    (0x5846_5342, "XFS", Nature::Local),
    (0x9123_683e, "Btrfs", Nature::Local),
    (0xf2f5_2010, "F2FS", Nature::Local),
    (0x2fc1_2fc1, "ZFS", Nature::Local),
    (0xca45_1a4e, "bcachefs", Nature::Local),
    (0x3153_464a, "JFS", Nature::Local),
    (0x5265_4973, "ReiserFS", Nature::Local),
    (0x3434, "NILFS2", Nature::Local),
    (0x7366_746e, "NTFS", Nature::Local),
    (0x794c_7630, "overlay", Nature::Layered),
    (0x0102_1994, "tmpfs", Nature::Memory),
    (0x8584_58f6, "ramfs", Nature::Memory),
    (0x6573_5546, "FUSE", Nature::Daemon),
    (0x4d44, "FAT", Nature::Fat),
    (0x2011_bab0, "exFAT", Nature::Fat),
    (0x6969, "NFS", Nature::Network),
    (0xff53_4d42, "CIFS", Nature::Network),
    (0xfe53_4d42, "SMB2", Nature::Network),
    (0x517b, "SMB", Nature::Network),
    (0x0102_1997, "9P", Nature::Network),
    (0x5346_414f, "AFS", Nature::Network),
    (0x7375_7245, "Coda", Nature::Network),
    (0x00c3_6400, "Ceph", Nature::Network),
    (0x6d62_7266, "Lustre", Nature::Network),
    (0x0116_1970, "GFS2", Nature::Network),
    (0x7461_636f, "OCFS2", Nature::Network),
    (0x1983_0326, "BeeGFS", Nature::Network),
    (0x4750_4653, "GPFS", Nature::Network),
    (0x786f_4256, "VirtualBox shared folders", Nature::Network),
    (0xbacb_acbc, "VMware shared folders", Nature::Network),
];

//! Identities of shards, and the checks of a list of them (H1).

use quadrille_journal::{RoomKey, Storage, StorageError};

/// Shards of one storage. Each has a connection for commits and two for reading.
pub const SHARDS_MAX: usize = 64;

/// Property of each shard: its identity.
const SHARD: &str = "shard";
/// Property of each shard: the identity of the first one.
const CLUSTER: &str = "cluster";
/// Property of the first shard: the identities of all, in the order in which they were added, with spaces.
const MEMBERS: &str = "shards";

/// Prefix of the properties of the first shard with the last number of a range that no shard has yet.
const NUMBERS: &str = "numbers:";

/// New rooms of a shard have numbers from its position, shifted by so many bits. Numbers have 53.
const NUMBER_BITS: u32 = 44;
/// Numbers that are counted up are below this one in their range. Random numbers, which have 53 bits, hardly are.
const COUNTED_NUMBERS_MAX: u64 = 1 << 40;

/// A storage among several.
pub struct Shard {
    /// The identity, which is stored in it.
    pub id: String,
    /// What people call it, such as the address of the database without a password.
    pub address: String,
    /// Its position in the order in which shards were added.
    pub position: usize,
    /// New rooms have higher numbers, as far as is known.
    pub reserved: RoomKey,
    pub storage: Box<dyn Storage>,
}

/// Gives each storage of a list its identity, and checks that they belong together.
///
/// # Errors
/// `Engine` with a message that names the storage that does not belong to the list.
pub fn join(list: Vec<(String, Box<dyn Storage>)>) -> Result<Vec<Shard>, StorageError> {
    if list.is_empty() || list.len() > SHARDS_MAX {
        return Err(refused(format!("{} databases are named; 1 to {SHARDS_MAX} can be", list.len())));
    }
    let mut shards: Vec<Shard> = Vec::new();
    for (address, mut storage) in list {
        let id = match storage.property(SHARD)? {
            Some(id) => id,
            None => storage.put_property(SHARD, &random_id())?,
        };
        if let Some(same) = shards.iter().find(|shard| shard.id == id) {
            let other = &same.address;
            return Err(refused(format!(
                "{address} has the identity of {other}: they are the same database, or one is a copy of the other"
            )));
        }
        shards.push(Shard { id, address, position: 0, reserved: RoomKey(0), storage });
    }
    let cluster = shards[0].id.clone();
    for (index, shard) in shards.iter_mut().enumerate() {
        match shard.storage.property(CLUSTER)? {
            Some(found) if found == cluster => {}
            Some(found) if index == 0 => {
                return Err(refused(format!(
                    "{} is not the first of its databases: name the one with the identity {found} first",
                    shard.address
                )));
            }
            Some(found) => {
                return Err(refused(format!(
                    "{} belongs to other databases, of which the first has the identity {found}",
                    shard.address
                )));
            }
            None if index > 0 && !shard.storage.rooms_after(None, 1)?.is_empty() => {
                return Err(refused(format!(
                    "{} already has rooms of its own: only an empty database can be added to a list",
                    shard.address
                )));
            }
            None => {}
        }
    }
    let members = shards[0].storage.property(MEMBERS)?.unwrap_or_else(|| cluster.clone());
    let mut members: Vec<String> = members.split(' ').map(str::to_owned).collect();
    if let Some(missing) = members.iter().find(|member| !shards.iter().any(|shard| shard.id == **member)) {
        return Err(refused(format!(
            "the database with the identity {missing} is missing in the list: rooms are in it"
        )));
    }
    let known = members.len();
    for shard in &mut shards {
        if !members.contains(&shard.id) {
            members.push(shard.id.clone());
        }
        shard.position = members.iter().position(|member| *member == shard.id).unwrap_or(0);
        if shard.storage.put_property(CLUSTER, &cluster)? != cluster {
            return Err(refused(format!("{} was added to other databases meanwhile", shard.address)));
        }
        shard.storage.reserve_keys(RoomKey((shard.position as u64) << NUMBER_BITS))?;
        shard.reserved = shard.storage.last_key()?;
    }
    for index in known..members.len() {
        // Numbers of rooms that were copied from more databases than there were.
        if let Some(up_to) = shards[0].storage.property(&format!("{NUMBERS}{index}"))?
            && let Ok(up_to) = up_to.parse()
        {
            reserve(&mut shards, RoomKey(up_to))?;
        }
    }
    if members.len() > known || known == 1 {
        shards[0].storage.set_property(MEMBERS, Some(&members.join(" ")))?;
    }
    Ok(shards)
}

/// Gives new rooms of the shard whose range a number is in higher numbers. Numbers of a range without a shard are noted
/// for the one that is added.
///
/// # Errors
/// Those of the storages.
pub fn reserve(shards: &mut [Shard], up_to: RoomKey) -> Result<(), StorageError> {
    let range = usize::try_from(up_to.0 >> NUMBER_BITS).unwrap_or(usize::MAX);
    if let Some(shard) = shards.iter_mut().find(|shard| shard.position == range) {
        if up_to > shard.reserved {
            shard.storage.reserve_keys(up_to)?;
            shard.reserved = up_to;
        }
        return Ok(());
    }
    let name = format!("{NUMBERS}{range}");
    let noted = shards[0].storage.property(&name)?.and_then(|noted| noted.parse().ok()).unwrap_or(0);
    match up_to.0 > noted {
        true => shards[0].storage.set_property(&name, Some(&up_to.0.to_string())),
        false => Ok(()),
    }
}

/// Reserves the number of a copied room, unless it is a random one, as those of restored rooms are.
///
/// # Errors
/// Those of the storages.
pub fn reserve_number(shards: &mut [Shard], room: RoomKey) -> Result<(), StorageError> {
    let in_range = room.0 & ((1 << NUMBER_BITS) - 1);
    let has_range = room.0 >> NUMBER_BITS < SHARDS_MAX as u64;
    if has_range && in_range < COUNTED_NUMBERS_MAX { reserve(shards, room) } else { Ok(()) }
}

/// Reads the identities of a list without changing it, with their indices, in the order in which they were added.
///
/// # Errors
/// `Engine` when they are not all that belong together.
pub fn read_members(list: &mut [(&str, &mut dyn Storage)]) -> Result<Vec<(String, usize)>, StorageError> {
    let (mut found, mut clusters) = (Vec::new(), None);
    for (address, storage) in list.iter_mut() {
        let none =
            || refused(format!("{address} is not one of several databases; start a server with all of them"));
        let (id, cluster) = (storage.property(SHARD)?, storage.property(CLUSTER)?);
        let (id, cluster) = id.zip(cluster).ok_or_else(none)?;
        if *clusters.get_or_insert_with(|| cluster.clone()) != cluster {
            return Err(refused(format!("{address} belongs to other databases")));
        }
        found.push(id);
    }
    let members = list[0].1.property(MEMBERS)?.unwrap_or_default();
    let members: Vec<&str> = members.split(' ').collect();
    if members.first() != found.first().map(|id| &**id).as_ref() || members.len() != found.len() {
        return Err(refused(format!(
            "all databases are to be named, the first one first; those of {} have the identities {}",
            list[0].0,
            members.join(", ")
        )));
    }
    let place = |id: &&str| found.iter().position(|found| found == id).map(|index| ((*id).to_owned(), index));
    let placed: Option<Vec<(String, usize)>> = members.iter().map(place).collect();
    placed.ok_or_else(|| refused(format!("a database of {} is missing in the list", list[0].0)))
}

/// Whether a storage belongs to a list, even if it is the only one in it.
///
/// # Errors
/// Those of the storage.
pub fn is_member(storage: &mut dyn Storage) -> Result<bool, StorageError> {
    Ok(storage.property(CLUSTER)?.is_some())
}

/// Checks that a storage that is used alone is not one of several.
///
/// # Errors
/// `Engine` when others belong to it.
pub fn check_alone(address: &str, storage: &mut dyn Storage) -> Result<(), StorageError> {
    let Some(cluster) = storage.property(CLUSTER)? else { return Ok(()) };
    let members = storage.property(MEMBERS)?.unwrap_or_default();
    if storage.property(SHARD)?.as_deref() == Some(&cluster) && members.split(' ').count() <= 1 {
        return Ok(());
    }
    Err(refused(format!("{address} is one of several databases: name all of them in `storage`")))
}

/// The error of a call of the first shard for a room of any.
pub fn of_first(error: StorageError) -> StorageError {
    match error {
        StorageError::Away { reason } => StorageError::Away {
            reason: format!("it is the first of several, which is needed to open any workbook: {reason}"),
        },
        error => error,
    }
}

/// An error of the list.
pub fn refused(reason: String) -> StorageError {
    StorageError::Engine { reason }
}

fn random_id() -> String {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the operating system provides random numbers");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
